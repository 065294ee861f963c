#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "selection/tune.hpp"

namespace tutti::cli {

/// What a table gains over a library's own choices.
struct TableGain {
  std::string library;
  double times_as_fast = 1;
  std::size_t cells = 0;
  std::string form;  // of the library's tuning file; empty: none can be written
  double file_times_as_fast = 1;
  std::size_t file_cells = 0;
};

/// A finished table in numbers.
struct TableSummary {
  std::string file;
  std::size_t cells = 0, rules = 0, simulated = 0, inferred = 0, undecided = 0;
  std::int64_t dropped = 0, refused = 0, left_out = 0;  // as the table has them
  std::size_t unknown_defaults = 0;                     // of cells
  std::vector<TableGain> gains;
  std::map<std::string, int> rules_by_trust;
  std::vector<std::string> notes;
};

/// Finishes a table that was tuned for the request:
///   * adds what is switched off in the machine and how far predictions may be trusted;
///   * writes it;
///   * says on stderr what it gains and what is in it.
/// `machine`: its name or file.
TableSummary finish_table(Table& table, const TuneRequest& request, const std::string& machine,
                          const std::string& output);
nlohmann::ordered_json summary_json(const TableSummary& summary);

}  // namespace tutti::cli
