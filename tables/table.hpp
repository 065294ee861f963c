#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algos/call.hpp"
#include "base/ranks_on_nodes.hpp"

namespace tutti {

/// Where a choice is made: a collective on a number of nodes with a number of ranks on each; of an irregular one also
/// how its counts are spread, as BlockCounts::from reads it ("zipf:1.2"; empty: all blocks are equal).
struct Place {
  Collective collective = Collective::barrier;
  int nodes = 1, ppn = 1;
  std::string counts = {};
  friend auto operator<=>(const Place&, const Place&) = default;
  int ranks() const { return nodes * ppn; }
  RanksOnNodes on_nodes() const { return {nodes, ppn, ppn}; }
};

/// Throws InputError where the collective has no counts of its own for each rank, or they cannot be spread so over so
/// many.
void expect_spread(Collective collective, const std::string& counts, int ranks);

/// Times of all candidates at one size, as predicted or, where some were measured, as believed since. Sizes are bytes
/// in the `total` convention (docs/formats.md).
struct Cell {
  Place place;
  std::int64_t bytes = 0;
  std::map<std::string, double> seconds;               // by the choice's text, such as "knomial:radix=8"
  std::map<std::string, double> default_seconds = {};  // of what a library picks itself, by its name: "mpich"
  std::set<std::string> inferred = {};                 // those of them that follow from other simulations
  std::map<std::string, std::pair<double, double>> between_seconds = {};  // what these are at least and at most
  std::set<std::string> confirmed = {};                  // those of them whose time is the confirming engine's
  std::map<std::string, double> measured_seconds = {};   // for real, of some candidates or others
  std::map<std::string, double> simulated_seconds = {};  // where `seconds` follow measurements: what was predicted
  std::map<std::string, std::vector<double>> beside_each_seconds = {};  // of all, where a table has several loads
  /// No default of a library falls below this (default_seconds, where it is known, says more); infinite: nothing known.
  double least_default_seconds = std::numeric_limits<double>::infinity();
  std::set<std::string> undecided = {};  // candidates that may be faster than the best, for all that is known of them
};

/// Of all candidates; infinite where there is none.
double best_seconds(const Cell& cell);

/// What one of the cell's candidates takes at least: its time or, where that is inferred, its lower bound.
double least_seconds(const Cell& cell, const std::string& candidate);

/// The choice for a range of sizes.
struct Rule {
  static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
  Place place;
  std::int64_t from_bytes = 0, to_bytes = kUnlimited;  // both inclusive
  std::string algorithm;                               // with its parameters
  double predicted_seconds = 0;                        // at the range's first sampled size
  // Worst over the range's sizes: time / best time - 1, at most the bound; nothing where the rule is undecided.
  std::optional<double> regret = {};
  std::string runner_up;  // the closest rival of known time anywhere in the range; empty: there is none
  // Its time (inferred: at least) / the choice's - 1 there; below 0: it is, or may be, faster there. Nothing where
  // there is no runner-up, or where, the rule being undecided, another may be closer.
  std::optional<double> margin = {};
  /// By a library's name: its default's time / the choice's, the geometric mean over those of the range's sizes for
  /// which the default's time is known.
  std::map<std::string, double> gains = {};
  std::optional<double> measured_regret = {};  // as regret, of measured times
  bool inferred = false;                       // some of the choice's times in the range are
  bool confirmed = false;                      // the confirming engine decided between the choice and the runner-up
  std::string trust = {};  // how far the predictions may be trusted, the least in the range; empty: not said
  bool undecided = false;  // in some cell of the range another candidate may be faster
};

/// A selection table: what was predicted, and the rules that follow from it. Cells and rules are sorted by place and
/// size.
struct Table {
  std::string machine, engine, mode, placement;
  double bound = 0.05;        // the regret that merging ranges may cost
  std::int64_t refused = 0;   // candidates of cells that the engine could not simulate in reasonable time
  std::int64_t left_out = 0;  // cells not simulated because their buffers exceed a node's memory
  std::vector<Cell> cells;
  std::vector<Rule> rules;
  std::string confirming = {};  // the engine that decided again what was close; empty: none
  std::int64_t dropped = 0;     // candidates of cells that a lower bound put out of the question: they have no time
  std::string library = {};     // only what this library can be told was looked at ("open-mpi-4.1"); empty: everything
  /// Other jobs beside which the times are ("incast:nodes=16,bytes=2097152"), noise ("noise:every=0.001,for=2.5e-05"),
  /// or "none"; empty: none. Of several, the "worst" or the "mean" of the times beside them is a choice's time; of the
  /// calls beside one, the "median", the "mean" or the "p95".
  std::vector<std::string> loads = {};
  std::string robust = {}, statistic = {};
  std::vector<std::string> notes = {};  // what of the machine is switched off, and what is missing, for people
};

/// The fewest ranges such that in each one candidate stays within `bound` of the best at every sampled size, and is no
/// slower than a library's default unless the best is; in each, the one with the least mean regret (ties: one that is
/// not by node, then by name). A range begins at a sampled size, the first at 0, and the last has no end. Cells: of one
/// place, ascending in size, each with at least one candidate.
std::vector<Rule> merge_cells(std::span<const Cell> cells, double bound);
/// The rules of all cells; sets table.rules.
void derive_rules(Table& table);

/// The rule for a size at exactly this place, nullptr if the table has none. Nothing is interpolated.
const Rule* look_up(const Table& table, const Place& place, std::int64_t bytes);

/// Throws InputError "FILE: …" where the table goes by how counts are spread, which `who` ("tuning files") cannot tell.
void expect_equal_blocks(const Table& table, const std::string& path, const std::string& who);

/// One table of all cells, with rules anew; `paths` are the tables'. Throws InputError "A and B: …" where two are not
/// of the same machine, engine, mode, placement and loads, were tuned for different libraries, or have the same cell.
Table joined(std::span<const Table> tables, const std::vector<std::string>& paths);

/// JSON by tables/table.schema.json: sorted, one cell or rule a line, so that two tables compare line by line.
std::string to_json_text(const Table& table);
/// Throws InputError "FILE:LINE: /json/pointer: what was expected", also where cells or rules are not sorted or name an
/// unknown algorithm.
Table parse_table(const std::string& text, const std::string& origin);
Table read_table(const std::string& path);

}  // namespace tutti
