#include "selection/export.hpp"

#include <fmt/core.h>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "cli/module_files.hpp"
#include "cli/output.hpp"
#include "cli/price.hpp"
#include "cli/verbs.hpp"
#include "selection/pricing.hpp"

namespace tutti::cli {
namespace {

struct ExportVerbOptions {
  std::vector<std::string> tables;
  std::string target, output;
  ExportOptions settings;
  bool json = false, strict = false, module = false;
};

/// What stands beside the tuning file: what it says of itself, where its form has no comments, and what switches it on.
std::vector<std::string> files_beside(const ExportVerbOptions& options, const Exporter& exporter) {
  std::vector<std::string> files;
  if (options.output == "-" || options.output.starts_with("/dev/")) return files;
  if (!exporter.has_comments()) files.push_back(options.output + ".txt");
  for (const auto& [end, text] : exporter.beside("", options.output)) files.push_back(options.output + end);
  if (options.module)
    for (const char* end : {".lua", ".tcl", ".sh"}) files.push_back(options.output + end);
  return files;
}

int strict_status(const PricedFile& priced, const ExportOptions& settings) {
  const std::size_t changed = priced.all.changed;
  const bool serves_untuned = !settings.extend_sizes && !priced.for_all_sizes.empty();
  if (changed > 0)
    fmt::print(stderr, "{} of {} {} not get the table's choice, and {}\n", changed,
               counted(priced.all.cells + priced.all.unknown, "cell"), changed == 1 ? "does" : "do",
               changed == 1 ? "loses" : "lose");
  if (serves_untuned)
    fmt::print(stderr, "{} that also serve sizes that were not tuned, which this form cannot leave to the library\n",
               counted(priced.for_all_sizes.size(), "collective") +
                   (priced.for_all_sizes.size() == 1 ? " has rules" : " have rules"));
  return changed > 0 || serves_untuned ? kFinding : kDone;
}

int run_export(const ExportVerbOptions& options) {
  if (options.json && options.output == "-") throw InputError("--json: expected a file for -o, as stdout is taken");
  if (options.module && (options.output == "-" || options.output.starts_with("/dev/")))
    throw InputError("--module: expected a file for -o, which it names");
  const Exporter& exporter = find_exporter(options.target);
  std::vector<std::string> outputs{options.output};
  for (const std::string& file : files_beside(options, exporter)) outputs.push_back(file);
  expect_apart(outputs, options.tables);
  for (const std::string& file : outputs) expect_writable(file);
  std::vector<Table> tables;
  for (const std::string& path : options.tables) tables.push_back(read_table(path));
  const Table table = tables.size() == 1 ? tables.front() : joined(tables, options.tables);
  std::string all_paths = options.tables.front();
  for (std::size_t i = 1; i < options.tables.size(); ++i) all_paths += " and " + options.tables[i];
  if (table.cells.empty()) throw InputError(all_paths + ": expected a table with cells");
  expect_served(table, all_paths, exporter);
  const Exported exported = export_table(table, exporter, options.settings);
  const std::vector<std::string> about = describe(table, exported.priced, options.settings);
  std::vector<std::pair<std::string, std::string>> files{{options.output, exported.text}};
  if (!exporter.has_comments() && outputs.size() > 1) {
    std::string text = exporter.description() + "\n";
    for (const std::string& line : about) text += line + "\n";
    files.emplace_back(options.output + ".txt", text);
  }
  if (outputs.size() > 1)
    for (const auto& [end, text] : exporter.beside(exported.text, options.output))
      files.emplace_back(options.output + end, text);
  if (options.module)
    for (auto& file : module_files(options.output, exporter, about)) files.push_back(std::move(file));
  for (const auto& [name, text] : files) write_output(name, text);
  if (options.json)
    fmt::print("{}\n", price_json(table, exported.priced).dump(1));
  else
    for (const std::string& line : about) fmt::print(stderr, "{}\n", line);
  return options.strict ? strict_status(exported.priced, options.settings) : kDone;
}

}  // namespace

void add_export(CLI::App& app, int& status) {
  auto options = std::make_shared<ExportVerbOptions>();
  CLI::App* verb = app.add_subcommand("export",
                                      "Write a table as the tuning file of a real MPI library, and say what that file "
                                      "gains over the library's own choices");
  std::string targets;
  for (const Exporter* exporter : exporters()) targets += "\n  " + exporter->name() + ": " + exporter->description();
  verb->footer("Targets:" + targets +
               "\nExample: tutti export table.json --to open-mpi-classic -o rules.txt\n"
               "Example: tutti export table.json skewed.json --to open-mpi -o rules.txt");
  verb->add_option("table", options->tables,
                   "a table that tutti tune wrote, with --for or --baselines; several of one machine become one file")
      ->required();
  verb->add_option("--to", options->target, "the target")->required();
  verb->add_option("--ppn", options->settings.ppn, "only the cells of this many ranks per node");
  verb->add_flag("--extend", options->settings.extend,
                 "numbers of ranks that were not tuned have rules, too: what loses least at the tuned ones on either "
                 "side; above the largest, its rules");
  verb->add_flag("--extend-sizes", options->settings.extend_sizes,
                 "sizes below the smallest and above the largest that were tuned have that one's rule, too");
  verb->add_flag("--any-operator", options->settings.any_operator,
                 "for programs whose own operators do not commute: name nothing that is wrong for these, where the "
                 "library follows its file for every operator");
  verb->add_flag(
      "--strict", options->strict,
      "exit status 1 where a cell loses since the file cannot say its choice, or rules serve sizes that were "
      "not tuned since its form cannot leave them to the library");
  verb->add_flag("--module", options->module,
                 "write FILE.lua, FILE.tcl and FILE.sh, too: modules and a shell's lines that switch the file on");
  verb->add_flag("--json", options->json, "what the file gains, substitutes, merges and loses, as JSON on stdout");
  verb->add_option(
          "-o,--output", options->output,
          "the file, or - for stdout; beside it FILE.txt, what is gained and lost, where the form has no comments, "
          "other files that the library reads, and those of --module")
      ->required();
  verb->callback([options, &status] { status = run_export(*options); });
}

}  // namespace tutti::cli
