#pragma once

#include <string_view>
#include <vector>

#include "selection/baselines.hpp"

namespace tutti {

/// What is to be simulated: a choice, or what a library would choose for each case.
struct Candidate {
  Choice choice;
  const Baseline* baseline = nullptr;
  bool of_all = false;  // left out where it cannot run; with other parameters than usual, where it does nothing new
};

constexpr std::string_view kDefault = "default:";

/// Of `--algorithm A[,B…|all|default:LIBRARY]`.
std::vector<Candidate> candidates_of(Collective collective, const std::string& text);
/// Of all algorithms' parameters, those with which they do in the case what no other does. Points into `candidates`.
std::vector<const Candidate*> candidates_for(const std::vector<Candidate>& candidates, const Case& c);

}  // namespace tutti
