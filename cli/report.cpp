#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/output.hpp"
#include "cli/python.hpp"
#include "cli/verbs.hpp"
#include "models/machine_files.hpp"
#include "tables/table.hpp"

namespace tutti::cli {
namespace {

struct Options {
  std::vector<std::string> tables;
  std::string machine, output;
};

nlohmann::json json_file(const std::string& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

/// With its sources. Null where the tables' machine is a file that was not given.
nlohmann::json machine_of(const std::string& given, const std::string& name) {
  const std::vector<std::string> known = machine_names();
  if (given.empty() && std::find(known.begin(), known.end(), name) == known.end()) return nullptr;
  const std::string& machine = given.empty() ? name : given;
  const ReadMachine read = read_machine(machine);
  if (read.machine.name != name)
    throw InputError(fmt::format("{}: expected the table's machine, {}, not {}", given, name, read.machine.name));
  return nlohmann::json::parse(read.text);
}

int run(const Options& options) {
  std::vector<std::string> inputs = options.tables;
  if (!options.machine.empty()) inputs.push_back(options.machine);
  if (options.output == "-") throw InputError("-o: expected a file for the page");
  expect_apart({options.output}, inputs);
  expect_writable(options.output);
  nlohmann::json all = {{"tables", nlohmann::json::array()}};
  for (const std::string& path : options.tables) {
    const Table table = read_table(path);  // refuses what is no table
    if (table.cells.empty()) throw InputError(fmt::format("{}: expected a table with cells", path));
    if (all["tables"].empty()) all["machine"] = machine_of(options.machine, table.machine);
    if (!all["tables"].empty() && all["tables"][0]["table"]["machine"] != table.machine)
      throw InputError(fmt::format("{}: expected a table of {}, as the others are", path,
                                   all["tables"][0]["table"]["machine"].get<std::string>()));
    all["tables"].push_back({{"file", path}, {"table", json_file(path)}});
  }
  return run_script("plots/report.py", {"-o", options.output}, all.dump());
}

}  // namespace

void add_report(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("report",
                                      "A table as one page to read in a browser: what to use where, what it gains, "
                                      "cliffs, rules, and where the machine's figures come from");
  verb->footer("The page needs no server and no network.\nExample: tutti report table.json -o report.html");
  verb->add_option("table", options->tables, "tables that tutti tune wrote, of one machine")->required();
  verb->add_option("--machine", options->machine, "the tables' machine, where it is a file");
  verb->add_option("-o,--output", options->output, "the page")->required();
  verb->callback([options, &status] { status = run(*options); });
}

}  // namespace tutti::cli
