#include "selection/fastest.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/error.hpp"

namespace tutti {

Fastest::Fastest(const Engine& engine, const Machine& machine, Mode mode, std::vector<int> core_of_rank, int ppn)
    : engine_(engine), machine_(machine), mode_(std::move(mode)), core_of_rank_(std::move(core_of_rank)) {
  std::set<int> nodes;
  for (const int core : core_of_rank_) nodes.insert(machine.network->node_of(core));
  if (nodes.size() * static_cast<std::size_t>(ppn) == core_of_rank_.size())
    bounds_.emplace(machine, mode_, core_of_rank_, static_cast<int>(nodes.size()), ppn);
}

Result Fastest::result(const Case& c, const Choice& choice, double most_seconds) {
  Experiment experiment{c, choice, core_of_rank_, mode_};
  experiment.most_seconds = most_seconds;
  return engine_.run(machine_, {&experiment, 1}).front();
}

double Fastest::seconds(const Case& c, const Choice& choice) {
  const Result found = result(c, choice, std::numeric_limits<double>::infinity());
  if (!found.refused.empty()) throw InputError(found.refused);
  return found.makespan_seconds;
}

TimedChoice Fastest::of(const Case& c, const std::vector<Choice>& choices, const std::vector<Choice>& first) {
  std::vector<std::size_t> order(choices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> least(choices.size());
  for (std::size_t i = 0; i < choices.size(); ++i) least[i] = bounds_ ? bounds_->seconds(resolve(choices[i], c), c) : 0;
  const auto is_first = [&](std::size_t i) { return std::find(first.begin(), first.end(), choices[i]) != first.end(); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(!is_first(a), least[a]) < std::pair(!is_first(b), least[b]);
  });
  std::size_t best = choices.size();
  double seconds = std::numeric_limits<double>::infinity();
  std::string why;
  for (const std::size_t i : order) {
    if (least[i] > seconds * (1 + 1e-9)) continue;
    const Result found = result(c, choices[i], seconds);
    if (!found.refused.empty()) {
      refused_.insert(why = found.refused);
      continue;
    }
    if (found.exceeded || found.makespan_seconds > seconds) continue;
    if (found.makespan_seconds < seconds || i < best) best = i;
    seconds = found.makespan_seconds;
  }
  if (best == choices.size()) throw InputError(why.empty() ? "none of the algorithms can run here" : why);
  return {choices[best], seconds};
}

}  // namespace tutti
