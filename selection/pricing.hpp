#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "selection/export.hpp"
#include "tables/table.hpp"

namespace tutti {

/// One time beside another: 1 where both are the same, even 0; nothing where one alone is 0, as on a machine without
/// overheads.
std::optional<double> ratio_of_times(double seconds, double other_seconds);

/// How many cells take longer than they might, and how many times as long: the geometric mean over these.
struct Slowdown {
  std::size_t cells = 0;
  double times_as_long = 1;
};

/// How many times as long as a choice the library's own takes (where nobody knows those: the table's best; then at most
/// 1): the geometric mean over cells, for what is chosen with less and less freedom.
struct Gains {
  double best = 1;      // the table's best in every cell
  double sayable = 1;   // the best that the library can be told, or its own choice
  double together = 1;  // one for all layouts that the library cannot tell apart
  double file = 1;      // what the file says
};

/// The best algorithm cannot be told to the library, which gets something slower instead; empty: its own choice.
struct Substitution {
  std::string best, instead;
  Slowdown loss;
};

/// Layouts (nodes, ranks per node) that share their rules, since they have as many ranks.
struct SharedRules {
  int ranks = 0;
  std::vector<std::pair<int, int>> layouts;
  Slowdown loss;
};

struct Price {
  std::size_t cells = 0;     // priced; in all that follows, no others count
  std::size_t unknown = 0;   // cells where the time of the library's own choice is not known: they are left to it
  std::size_t timeless = 0;  // of these: a time that gains compare is 0; they count in no mean
  std::size_t inferred = 0;  // of these: the time of what the file says, or of the library's own choice
  Gains gains;
  std::vector<Substitution> substituted;    // the most cells first
  Slowdown substitution, sharing, merging;  // … by what is missing, by other layouts, by other sizes of the same rule
  Slowdown giving_up;                       // … by what rules steer besides calls (PricedFile::not_left)
  std::vector<SharedRules> shared;          // by ranks; all that share, losing or not
  /// Cells that lose since something cannot be told: the choice, the layout, or (beyond the bound of merging) the size.
  std::size_t changed = 0;
  /// Cells left to the library's own choice: nothing that can be said is faster; what is loses in another layout; it
  /// loses at another size; it would steer something besides calls.
  std::size_t own_is_best = 0, own_for_layouts = 0, own_for_sizes = 0, own_for_inside = 0;
  std::size_t own() const { return own_is_best + own_for_layouts + own_for_sizes + own_for_inside; }
};

/// What a tuning file does to the cells of a table, by the table's own predictions.
struct PricedFile {
  std::string library;
  std::string own;  // the baseline that says what the library picks itself; empty: all is relative to the table's best
  Sight sight = Sight::ranks;
  bool serves_beyond = true;  // the largest of the table
  std::string also_serves, not_left;
  Price all;
  std::vector<std::pair<Collective, Price>> collectives;
  std::vector<std::string> remarks;  // what the library cannot be told, and what its own choice only stands for
  std::vector<Collective> for_all_sizes = {};  // have rules, which the form cannot keep from sizes that were not tuned
  /// Have rules that are wrong for operators that do not commute, for which the library follows them, too. Of a file
  /// that export_table wrote; price() alone leaves it empty.
  std::vector<Collective> out_of_order = {};
};

/// Looks every cell (of this many ranks per node) up as the library would. `apart`: the rules as they were before what
/// they steer besides calls was looked at (Exporter::settled); none: nothing is lost by that. Throws InputError where
/// the library's own time is known of no cell, saying how to get it, or where nothing is known of its own choices and
/// nothing can be told; std::logic_error where the file is slower than that in some cell.
PricedFile price(const Table& table, const Exporter& exporter, const TuningFile& file, const ExportOptions& options,
                 std::span<const FileRules> apart = {});

/// The price for people, a line each: what is gained, substituted, merged, lost and left to the library.
std::vector<std::string> describe(const Table& table, const PricedFile& priced, const ExportOptions& options);

struct Exported {
  std::string text;   // the file; begins with what describe() says, where its form has comments
  PricedFile priced;  // that text
};

/// Throws InputError where the table has nothing to export, and as price() does.
Exported export_table(const Table& table, const Exporter& exporter, const ExportOptions& options);

struct RulesGain {
  double times_as_fast = 1;  // geometric mean
  std::size_t cells = 0;     // in which the default's time is known, and none of both is 0
};
/// What a table's rules gain over each default that its cells know, by the library's name.
std::map<std::string, RulesGain> gains_of_rules(const Table& table);

}  // namespace tutti
