#pragma once

#include <string>
#include <vector>

#include "selection/offers.hpp"

namespace tutti {

/// The rules of a tuning file, sorted; sizes are merged within the bound. With `extend` also for numbers of ranks that
/// were not tuned:
///   * between two tuned ones, of what is offered at both the choice that loses least at the worse of them, unless it
///     falls back to another algorithm on some number of ranks between;
///   * above the largest tuned one, its rules.
std::vector<FileRules> file_rules(const Offers& offers, const Exporter& exporter, double bound, bool extend);

/// Of rules that were extended, for people: which numbers of ranks that were not tuned the library has to choose for
/// itself all the same, a line for each collective.
std::vector<std::string> left_between(const std::vector<FileRules>& rules, const Exporter& exporter);

/// Notes for which layouts of the table (of this many ranks per node) the rules are.
void note_layouts(std::vector<FileRules>& rules, const Table& table, const Exporter& exporter,
                  const std::optional<int>& ppn);

}  // namespace tutti
