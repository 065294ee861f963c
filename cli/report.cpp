#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "calibration/residual_file.hpp"
#include "cli/drawn_call.hpp"
#include "cli/link_load.hpp"
#include "cli/output.hpp"
#include "cli/python.hpp"
#include "cli/verbs.hpp"
#include "models/figures_checksum.hpp"
#include "models/machine_files.hpp"
#include "tables/table.hpp"

namespace tutti::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> tables;
  std::string machine, residuals, call, output;
};

nlohmann::json json_file(const std::string& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

/// A table's file, of which cells and rules for counts that are spread in one way or another are of collectives of
/// their own, which the page tells apart by their names.
nlohmann::json table_for_page(const std::string& path) {
  nlohmann::json table = json_file(path);
  for (const char* part : {"cells", "rules"})
    for (nlohmann::json& row : table.at(part)) {
      if (!row.contains("counts")) continue;
      constexpr std::size_t kShown = 40;
      std::string counts = row.at("counts");
      if (counts.size() > kShown) counts = counts.substr(0, kShown) + "…";
      row["collective"] = fmt::format("{} of {}", row.at("collective").get<std::string>(), counts);
    }
  return table;
}

/// Nothing where the tables' machine is a file that was not given.
std::optional<ReadMachine> machine_of(const std::string& given, const std::string& name) {
  const std::vector<std::string> known = machine_names();
  if (given.empty() && std::find(known.begin(), known.end(), name) == known.end()) return std::nullopt;
  const std::string& machine = given.empty() ? name : given;
  ReadMachine read = read_machine(machine);
  if (read.machine.name != name)
    throw InputError(fmt::format("{}: expected the table's machine, {}, not {}", given, name, read.machine.name));
  return read;
}

/// What calibrate --json said of the tables' machine; "of_machine": of just this one, as far as figures tell.
nlohmann::json residuals_of(const std::string& path, const std::string& name, const ReadMachine* machine) {
  nlohmann::json residuals = read_residuals(path);
  if (const std::string of = residuals.value("machine", name); of != name)
    throw InputError(fmt::format("{}: expected residuals of the table's machine, {}, not {}", path, name, of));
  const bool is_known = machine && residuals.contains("machine_checksum");
  if (is_known && residuals["machine_checksum"] != figures_checksum(machine->text))
    throw InputError(
        fmt::format("{}: expected residuals of {} as it is: its figures are not those that calibrate wrote", path,
                    machine->origin));
  residuals["of_machine"] = is_known;
  if (!is_known)
    fmt::print(stderr, "{}: whether it is of {} as it is cannot be told: expected {}\n", path, name,
               machine ? "what calibrate --json says now" : "--machine beside, its file");
  return residuals;
}

/// Of the program that reads it (plots/report.py): the tables, the machine with its sources, links and a call,
/// residuals.
nlohmann::ordered_json given_to_page(const ReportOptions& options) {
  nlohmann::ordered_json all = {{"tables", nlohmann::ordered_json::array()},
                                {"machine", nullptr},
                                {"links", nullptr},
                                {"call", nullptr},
                                {"residuals", nullptr}};
  std::vector<TableOfFile> tables;
  std::set<std::string> files;
  for (const std::string& path : options.tables) {
    if (!files.insert(std::filesystem::weakly_canonical(path)).second)
      throw InputError(path + ": expected each table once");
    Table table = read_table(path);  // refuses what is no table
    if (table.cells.empty()) throw InputError(fmt::format("{}: expected a table with cells", path));
    if (!tables.empty() && tables.front().table.machine != table.machine)
      throw InputError(
          fmt::format("{}: expected a table of {}, as the others are", path, tables.front().table.machine));
    all["tables"].push_back({{"file", path}, {"table", table_for_page(path)}});
    tables.push_back({path, std::move(table)});
  }
  const std::string& name = tables.front().table.machine;
  const std::optional<ReadMachine> read = machine_of(options.machine, name);
  if (read) expect_apart({options.output}, read->files);
  if (!options.residuals.empty()) all["residuals"] = residuals_of(options.residuals, name, read ? &*read : nullptr);
  if (read) {
    all["machine"] = nlohmann::ordered_json::parse(read->text);
    all["links"] = link_levels_json(*read->machine.network);
    all["call"] = drawn_calls(options.call, tables, read->machine);
    for (const auto& call : all["call"]["calls"])
      if (const std::string differs = call["differs"]; !differs.empty())
        fmt::print(stderr, "{}: {}\n", call["table"].get<std::string>(), differs);
  } else if (!options.call.empty()) {
    throw InputError(fmt::format("--call: expected --machine beside, the file of {}", name));
  }
  return all;
}

int run_report(const ReportOptions& options) {
  std::vector<std::string> inputs = options.tables;
  for (const std::string& given : {options.machine, options.residuals})
    if (!given.empty()) inputs.push_back(given);
  if (options.output == "-") throw InputError("-o: expected a file for the page");
  expect_apart({options.output}, inputs);
  expect_writable(options.output);
  return run_script("plots/report.py", {"-o", options.output}, given_to_page(options).dump());
}

}  // namespace

void add_report(CLI::App& app, int& status) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* verb = app.add_subcommand("report",
                                      "A table as one page to read in a browser: what to use where, what it gains, "
                                      "cliffs, rules, one call drawn over time, slowest links, residuals of the "
                                      "calibration, and where the machine's figures come from");
  verb->footer(
      "The page needs no server and no network.\nExample: tutti report table.json -o report.html\n"
      "Example: tutti report table.json --call bcast:nodes=7,bytes=64K,algorithm=binomial -o report.html");
  verb->add_option("table", options->tables, "tables that tutti tune wrote, of one machine")->required();
  verb->add_option("--machine", options->machine, "the tables' machine, where it is a file");
  verb->add_option("--residuals", options->residuals,
                   "what tutti calibrate --json, or machine --from --json, said of the machine");
  verb->add_option("--call", options->call,
                   "the call to draw, of any of the tables: COLLECTIVE:nodes=N,ppn=K,bytes=B[,algorithm=A] (default: "
                   "of those of up to 32 "
                   "ranks the one in which a library's default, or the runner-up, loses most)");
  verb->add_option("-o,--output", options->output, "the page")->required();
  verb->callback([options, &status] { status = run_report(*options); });
}

}  // namespace tutti::cli
