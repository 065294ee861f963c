#include "selection/export.hpp"

#include <fmt/core.h>

#include "cli/output.hpp"
#include "cli/verbs.hpp"

namespace tutti::cli {
namespace {

struct Options {
  std::string table, target, output;
  ExportOptions settings;
};

int run(const Options& options) {
  const Exported exported = find_exporter(options.target).write(read_table(options.table), options.settings);
  write_output(options.output, exported.text);
  for (const std::string& remark : exported.remarks) fmt::print(stderr, "{}\n", remark);
  return kDone;
}

}  // namespace

void add_export(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("export", "Write a table as the tuning file of a real MPI library");
  std::string targets;
  for (const Exporter* exporter : exporters()) targets += "\n  " + exporter->name() + ": " + exporter->description();
  verb->footer("Targets:" + targets + "\nExample: tutti export table.json --to open-mpi-classic -o rules.txt");
  verb->add_option("table", options->table, "a table that tutti tune wrote")->required();
  verb->add_option("--to", options->target, "the target")->required();
  verb->add_option("--ppn", options->settings.ppn, "only the cells of this many ranks per node");
  verb->add_flag("--extend", options->settings.extend,
                 "process counts that were not tuned follow the next smaller tuned one, not the library's own choice");
  verb->add_option("-o,--output", options->output, "the file, or - for stdout")->required();
  verb->callback([options, &status] { status = run(*options); });
}

}  // namespace tutti::cli
