#pragma once

#include <string>
#include <vector>

#include "selection/offers.hpp"

namespace tutti {

/// The rules of a tuning file, sorted; sizes are merged within the bound, and those that were not tuned, below the
/// first of served_sizes and above the second, are left to the library, as far as the file can (leaves_sizes) and
/// unless `options.extend_sizes`. With `options.extend` also for numbers of ranks that were not tuned:
///   * between two tuned ones, of what is offered at both the choice that loses least at the worse of them, unless it
///     falls back to another algorithm on some number of ranks between;
///   * above the largest tuned one, its rules.
std::vector<FileRules> file_rules(const Offers& offers, const Exporter& exporter, double bound,
                                  const ExportOptions& options);

/// The sizes that are taken for tuned: half of the way to half of the smallest, and to twice the largest.
std::pair<std::int64_t, std::int64_t> served_sizes(std::int64_t smallest, std::int64_t largest);

/// Of rules that were extended, for people: which numbers of ranks that were not tuned the library has to choose for
/// itself all the same, a line for each collective.
std::vector<std::string> left_between(std::vector<FileRules> rules, const Exporter& exporter);

/// Notes for which layouts of the table (of this many ranks per node) the rules are.
void note_layouts(std::vector<FileRules>& rules, const Table& table, const Exporter& exporter,
                  const std::optional<int>& ppn);

}  // namespace tutti
