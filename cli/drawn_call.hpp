#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/layout.hpp"
#include "sim/engine.hpp"
#include "tables/table.hpp"

namespace tutti::cli {

/// The most events of a call whose picture can still be read.
constexpr double kMostDrawnEvents = 6000;

/// A recorded run for plots/space_time.py: who posted what, when it began and ended, what the critical path passes,
/// and the links that its messages keep busy longest. Times in microseconds. Throws InputError where it has more than
/// kMostDrawnEvents.
nlohmann::ordered_json space_time_json(const std::string& title, const Experiment& run, const Layout& layout,
                                       const Result& result, const Network& network);

/// What `tutti report --call` asks for.
struct AskedCall {
  Place place;
  std::int64_t bytes = 0;
  std::string algorithm;  // empty: the table's choice
};
/// "allreduce:nodes=4,ppn=2,bytes=64K,algorithm=knomial:radix=4": ppn may be left out (1), and so may algorithm, which
/// is last. Throws InputError.
AskedCall parse_asked_call(const std::string& text);

/// A table and the file that it was read from.
struct TableOfFile {
  std::string file;
  Table table;
};

/// The call, isolated, on the tables' machine and its table's placement: of those tables the first that has its cell,
/// else the first that has a rule for it. Beside it the default of the library that loses most there, where the table's
/// cells know one. An empty `asked` is the call in which a default (without: the runner-up) loses most among those of
/// all tables that are small enough to be looked at. {"calls": […], "why": "" or, where there is none, the reason}; a
/// call's "differs" says where its time is not that of its "table", a file; empty where it is. Throws InputError where
/// a call that was asked for cannot be simulated or drawn. At least one table.
nlohmann::ordered_json drawn_calls(const std::string& asked, const std::vector<TableOfFile>& tables,
                                   const Machine& machine);

}  // namespace tutti::cli
