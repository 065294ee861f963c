#include "runtime/bench/collective.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "runtime/bench/pattern.hpp"

namespace tutti::bench {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

constexpr std::size_t kFreshBytes = std::size_t{64} << 20;

/// A rank's buffers for one call, filled by the pattern.
template <class T>
struct Buffers {
  std::vector<T> in, out;

  Buffers(const Case& c, Rank rank) {
    const BufferSizes sizes = buffer_sizes(c, rank);
    in.resize(static_cast<std::size_t>(sizes.in));
    out.resize(static_cast<std::size_t>(sizes.out));
    auto& source = c.collective == Collective::bcast ? out : in;
    if (c.collective == Collective::bcast && rank != c.root) return;
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<T>(pattern(rank, static_cast<Count>(i)));
  }

  CollectiveCall call(const Case& c, const std::string& algorithm) {
    CollectiveCall made = calls::detail::make(c.collective, in, out, c.root);
    if (c.collective == Collective::bcast) made.in = made.out, made.in_elements = made.out_elements;
    if (is_reduction(c.collective)) made.reduction = reduction_of<T>(Predefined::sum);
    return made.with(algorithm);
  }

  void check(const Case& c, Rank rank) const {
    for (std::size_t i = 0; i < out.size(); ++i)
      if (const auto want = expected(c, rank, static_cast<Count>(i)); want && out[i] != static_cast<T>(*want))
        throw std::runtime_error(std::string(name_of(c.collective)) + ": rank " + std::to_string(rank) + ": element " +
                                 std::to_string(i) + " is wrong");
  }
};

template <class T>
CollectiveRow measure_on(Team& team, const CollectiveRequest& request) {
  const std::int32_t element = sizeof(T);
  const Case c{request.collective,
               team.size(),
               count_for_total_bytes(request.collective, team.size(), element, request.bytes),
               element,
               request.root,
               false,
               Operator::sum};
  const std::size_t bytes = std::max<std::size_t>(1, static_cast<std::size_t>(total_bytes(c)));
  std::vector<Buffers<T>> buffers;
  const std::size_t copies = request.fresh ? std::clamp<std::size_t>(kFreshBytes / bytes, 2, 256) : 1;
  for (std::size_t i = 0; i < copies; ++i) buffers.emplace_back(c, team.rank());
  std::vector<CollectiveCall> made;
  for (Buffers<T>& one : buffers) made.push_back(one.call(c, request.algorithm));

  const auto verify = [&](std::size_t i) {
    if (!request.check) return;
    if (c.collective != Collective::bcast) std::fill(buffers[i].out.begin(), buffers[i].out.end(), T{});
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
  return {team.algorithm_of(made[0]), total_bytes(c), summarise(team, seconds)};
}

}  // namespace

CollectiveRow measure(Team& team, const CollectiveRequest& request) {
  return is_reduction(request.collective) ? measure_on<float>(team, request) : measure_on<std::uint8_t>(team, request);
}

}  // namespace tutti::bench
