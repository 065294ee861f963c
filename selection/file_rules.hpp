#pragma once

#include <vector>

#include "selection/offers.hpp"

namespace tutti {

/// What a tuning file is to say: sizes merged within the bound; with `extend`, numbers of ranks that were not tuned,
/// too: between two tuned ones what is offered at both and, at the worse of them, loses least; above the largest its
/// rules. What another algorithm would run for on some of those numbers of ranks is not said there. Sorted.
std::vector<FileRules> file_rules(const Offers& offers, const Exporter& exporter, double bound, bool extend);

/// Notes for which layouts of the table (of this many ranks per node) the rules are.
void note_layouts(std::vector<FileRules>& rules, const Table& table, const Exporter& exporter,
                  const std::optional<int>& ppn);

}  // namespace tutti
