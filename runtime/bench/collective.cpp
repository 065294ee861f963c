#include "runtime/bench/collective.hpp"

#include <algorithm>
#include <chrono>

#include "runtime/bench/buffers.hpp"

namespace tutti::bench {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

constexpr std::size_t kFreshBytes = std::size_t{64} << 20;

template <class T>
CollectiveRow measure_on(Team& team, const CollectiveRequest& request) {
  const Case c = case_of(request.collective, team.size(), request.bytes, request.root, request.counts,
                         request.neighborhood, request.given);
  const std::size_t bytes = std::max<std::size_t>(1, static_cast<std::size_t>(total_bytes(c)));
  std::vector<Buffers<T>> buffers;
  const std::size_t copies = request.fresh ? std::clamp<std::size_t>(kFreshBytes / bytes, 2, 256) : 1;
  for (std::size_t i = 0; i < copies; ++i) buffers.emplace_back(c, team.rank());
  std::vector<CollectiveCall> made;
  for (Buffers<T>& one : buffers) made.push_back(one.call(c, request.algorithm));

  const auto verify = [&](std::size_t i) {
    if (!request.check) return;
    // The root's is the input.
    if (c.collective != Collective::bcast || team.rank() != c.root)
      std::fill(buffers[i].out.begin(), buffers[i].out.end(), T{});
    team.run(made[i]);
    buffers[i].check(c, team.rank());
  };
  verify(0);
  team.barrier();
  const auto begin = Clock::now();
  for (int i = 0; i < 5; ++i) team.run(made[static_cast<std::size_t>(i) % copies]);
  const int times = repetitions(team, since(begin) / 5, request.budget_seconds);
  std::vector<double> seconds(static_cast<std::size_t>(times));
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const CollectiveCall& call = made[i % copies];
    team.barrier();
    const auto start = Clock::now();
    team.run(call);
    seconds[i] = since(start);
  }
  verify(copies - 1);
  return {team.what_runs(made[0]), total_bytes(c), summarise(team, seconds), team.follows_table(made[0])};
}

}  // namespace

CollectiveRow measure(Team& team, const CollectiveRequest& request) {
  return on_elements_of(request.collective, [&](auto element) { return measure_on<decltype(element)>(team, request); });
}

}  // namespace tutti::bench
