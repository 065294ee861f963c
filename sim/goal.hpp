#pragma once

#include <string>
#include <vector>

#include "algos/registry.hpp"
#include "models/machine.hpp"

namespace tutti {

/// What the ranks of a call do, as a schedule in GOAL, the text that LogGOPSim's txt2bin reads (Hoefler, Siebert,
/// Lumsdaine: Group Operation Assembly Language, ICPP 2009): for every rank its sends, receives and local work (`calc`,
/// nanoseconds, by what one copy or reduction takes alone) and what has to end before each may begin.
/// Times of messages are left to who reads it. `calc 0` joins what a wait waits for. One tag for each group, call and
/// lane. GOAL has no messages of no bytes: they have one.
///
/// `core_of_rank`: where the ranks are, for algorithms that ask. Throws what the algorithm throws.
std::string goal_text(const Case& c, const Choice& choice, const Machine& machine,
                      const std::vector<int>& core_of_rank);

}  // namespace tutti
