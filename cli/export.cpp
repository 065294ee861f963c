#include "selection/export.hpp"

#include <fmt/core.h>

#include "algos/error.hpp"
#include "cli/output.hpp"
#include "cli/price.hpp"
#include "cli/verbs.hpp"
#include "selection/pricing.hpp"

namespace tutti::cli {
namespace {

struct Options {
  std::string table, target, output;
  ExportOptions settings;
  bool json = false;
};

int run(const Options& options) {
  if (options.json && options.output == "-") throw InputError("--json: expected a file for -o, as stdout is taken");
  expect_apart({options.output}, {options.table});
  const Table table = read_table(options.table);
  const Exported exported = export_table(table, find_exporter(options.target), options.settings);
  write_output(options.output, exported.text);
  if (options.json)
    fmt::print("{}\n", price_json(table, exported.priced).dump(1));
  else
    for (const std::string& line : describe(table, exported.priced, options.settings)) fmt::print(stderr, "{}\n", line);
  return kDone;
}

}  // namespace

void add_export(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("export",
                                      "Write a table as the tuning file of a real MPI library, and say what that file "
                                      "gains over the library's own choices");
  std::string targets;
  for (const Exporter* exporter : exporters()) targets += "\n  " + exporter->name() + ": " + exporter->description();
  verb->footer("Targets:" + targets + "\nExample: tutti export table.json --to open-mpi-classic -o rules.txt");
  verb->add_option("table", options->table, "a table that tutti tune wrote, with --for or --baselines")->required();
  verb->add_option("--to", options->target, "the target")->required();
  verb->add_option("--ppn", options->settings.ppn, "only the cells of this many ranks per node");
  verb->add_flag("--extend", options->settings.extend,
                 "process counts that were not tuned follow the next smaller tuned one, not the library's own choice");
  verb->add_flag("--json", options->json, "what the file gains, substitutes, merges and loses, as JSON on stdout");
  verb->add_option("-o,--output", options->output, "the file, or - for stdout")->required();
  verb->callback([options, &status] { status = run(*options); });
}

}  // namespace tutti::cli
