#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "models/machine.hpp"
#include "selection/baselines.hpp"

namespace tutti {

/// What is to be simulated: a choice, or what a library would choose for each case.
struct Candidate {
  Choice choice;
  const Baseline* baseline = nullptr;
  bool of_all = false;  // left out where it cannot run; with other parameters than usual, where it does nothing new
};

constexpr std::string_view kDefault = "default:";

/// Of `--algorithm A[,B…|all|default:LIBRARY]` on a machine of this network, each once.
std::vector<Candidate> candidates_of(Collective collective, const std::string& text, const Network& network);
/// Of all algorithms' parameters, those with which they do in the case what no other does. Points into `candidates`.
std::vector<const Candidate*> candidates_for(const std::vector<Candidate>& candidates, const Case& c);

/// A candidate in one case: what runs under which name.
struct AskedRun {
  std::string name;  // as it was asked for: "binomial", "default:mpich"
  Choice choice;
  bool optional = false;  // left out where the engine refuses it
};
/// Nothing where it cannot run and is not insisted on. `several`: layouts are asked for, so that it may run in another.
/// What is left out, and what a library would have run instead, becomes a remark. Throws InputError.
std::optional<AskedRun> run_of(const Candidate& candidate, const Case& c, const RanksOnNodes& on, const Places& places,
                               bool several, std::set<std::string>& remarks);

/// Stretches of runs of about equal work, so that progress is seen and an engine that has to set up a platform does so
/// seldom: where each begins, and the end.
std::vector<std::size_t> stretches_of(const std::vector<double>& works);

}  // namespace tutti
