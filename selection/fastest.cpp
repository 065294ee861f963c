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

void Fastest::put_beside(const Background& background, std::span<const int> cores) {
  background_ = background;
  core_of_rank_.insert(core_of_rank_.end(), cores.begin(), cores.end());
  bounds_.reset();
}

void Fastest::put_under(const std::optional<Noise>& noise, std::uint64_t seed) {
  noise_ = noise;
  seed_ = seed;
  if (noise) bounds_.reset();
}

Result Fastest::result(const Case& c, const Choice& choice, double most_seconds) {
  Experiment experiment{c, choice, core_of_rank_, mode_, seed_};
  experiment.background = background_;
  experiment.noise = noise_;
  if (!background_ && !noise_) experiment.most_seconds = most_seconds;
  return engine_.run(machine_, {&experiment, 1}).front();
}

double Fastest::seconds(const Case& c, const Choice& choice) {
  const Result found = result(c, choice, std::numeric_limits<double>::infinity());
  if (!found.refused.empty()) throw InputError(found.refused);
  return found.makespan_seconds;
}

TimedChoice Fastest::of(const Case& c, const std::vector<Choice>& choices, const std::vector<Choice>& first) {
  return best(c, choices, first, 1).front();
}

std::vector<TimedChoice> Fastest::best(const Case& c, const std::vector<Choice>& choices,
                                       const std::vector<Choice>& first, std::size_t many) {
  std::vector<std::size_t> order(choices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> least(choices.size());
  for (std::size_t i = 0; i < choices.size(); ++i) least[i] = bounds_ ? bounds_->seconds(resolve(choices[i], c), c) : 0;
  const auto is_first = [&](std::size_t i) { return std::find(first.begin(), first.end(), choices[i]) != first.end(); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(!is_first(a), least[a]) < std::pair(!is_first(b), least[b]);
  });
  std::vector<std::pair<double, std::size_t>> found;  // ascending, at most so many
  double most = std::numeric_limits<double>::infinity();
  std::string why;
  const auto simulate = [&](std::size_t i) {
    const Result result = this->result(c, choices[i], most);
    if (!result.refused.empty()) {
      refused_.insert(why = result.refused);
      return;
    }
    if (result.exceeded || result.makespan_seconds > most) return;
    const std::pair one(result.makespan_seconds, i);
    found.insert(std::upper_bound(found.begin(), found.end(), one), one);
    if (found.size() > many) found.pop_back();
    if (found.size() == many) most = found.back().first;
  };
  while (!order.empty()) {
    const std::size_t next = order.front();
    simulate(next);
    const std::size_t dealt_with =
        std::erase_if(order, [&](std::size_t i) { return i == next || least[i] > most * (1 + 1e-9); });
    for (std::size_t n = 0; dealt_with_ && n < dealt_with; ++n) dealt_with_();
  }
  if (found.empty()) throw InputError(why.empty() ? "none of the algorithms can run here" : why);
  std::vector<TimedChoice> best;
  for (const auto& [seconds, i] : found) best.push_back({choices[i], seconds});
  return best;
}

}  // namespace tutti
