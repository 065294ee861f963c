#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "algos/patterns/bine.hpp"
#include "algos/patterns/fold.hpp"
#include "algos/patterns/segments.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_bine_bdw_remap(Comm comm, Call call) {
  const Fold fold(comm.size());
  const Rank rank = comm.rank(), partner = fold.partner(rank);
  if (!fold.takes_part(rank)) {
    co_await comm.blocking_send(partner, call.in);
    co_await comm.wait(comm.recv(partner, call.out));
    co_return;
  }
  co_await comm.wait(comm.copy(call.out, call.in));
  if (fold.paired(rank)) {
    const View theirs = comm.scratch(call.out.elements());
    co_await comm.wait(comm.recv(partner, theirs));
    co_await comm.wait(comm.combine(call.out, theirs, call.out));
  }
  struct Halving {
    View kept, given;
  };
  const int number = bine_number(fold.core_number(rank), fold.core);
  const auto peer_at = [=](int step) { return fold.rank_of(bine_peer(fold.core_number(rank), step, fold.core)); };
  const Count half_vector = fold.core > 1 ? (call.out.elements() + 1) / 2 : 0;
  const Count most = std::min(half_vector, call.segment_elements(half_vector));
  const std::array<View, 2> inbox{comm.scratch(most), comm.scratch(most)};

  std::vector<Halving> steps;
  View window = call.out;
  for (int step = 0, half = fold.core / 2; half > 0; ++step, half /= 2) {  // reduce-scatter
    const Count left = window.elements() / 2;
    const View lower = window.slice(0, left), upper = window.slice(left, window.elements() - left);
    steps.push_back(number & half ? Halving{upper, lower} : Halving{lower, upper});
    const Segments kept(steps.back().kept, call), given(steps.back().given, call);
    const auto into = [&](Count i) { return inbox[i % 2].slice(0, kept[i].elements()); };
    Op arriving = comm.recv(peer_at(step), into(0));
    for (Count i = 0; i < std::max(kept.count(), given.count()); ++i) {
      if (i < given.count()) co_await comm.blocking_send(peer_at(step), given[i]);
      if (i >= kept.count()) continue;
      const Op current = arriving;
      if (i + 1 < kept.count()) arriving = comm.recv(peer_at(step), into(i + 1));
      co_await comm.wait(current);
      co_await comm.wait(comm.combine(kept[i], into(i), kept[i]));
    }
    window = steps.back().kept;
  }
  for (int step = static_cast<int>(steps.size()) - 1; step >= 0; --step, steps.pop_back())  // allgather
    co_await comm.exchange(peer_at(step), steps.back().kept, peer_at(step), steps.back().given);
  if (fold.paired(rank)) co_await comm.blocking_send(partner, call.out);
}

namespace {

struct Counts {
  double rounds = 0, messages = 0;
};

/// Follows every number of the core through the halvings: how many elements its window has, and in which round it is.
Counts counts(const Facts& facts) {
  const Fold fold(static_cast<int>(facts["p"]));
  const Count vector = static_cast<Count>(facts["c"]);
  const auto each = static_cast<Count>(std::max(1.0, std::floor(facts["segment"] / facts["e"])));
  std::vector<Count> window(static_cast<std::size_t>(fold.core), vector);
  std::vector<double> round(window.size(), 0);
  for (int i = 0; i < fold.extra; ++i) round[static_cast<std::size_t>(i)] = 1;
  Counts found{0, 2.0 * fold.extra + static_cast<double>(fold.core) * bine_steps(fold.core)};
  const auto segments = [&](Count elements) {
    return facts["segment"] == 0 ? 1.0 : static_cast<double>(std::max<Count>(1, (elements + each - 1) / each));
  };
  for (int step = 0; step < 2 * bine_steps(fold.core); ++step) {
    const bool halves = step < bine_steps(fold.core);
    const int distance = halves ? step : 2 * bine_steps(fold.core) - 1 - step;
    const std::vector<double> before = round;
    for (Rank rank = 0; rank < fold.core; ++rank) {
      const auto own = static_cast<std::size_t>(rank);
      const auto peer = static_cast<std::size_t>(bine_peer(rank, distance, fold.core));
      double longer = 1;
      if (halves) {
        const Count lower = window[own] / 2, upper = window[own] - lower;
        window[own] = bine_number(rank, fold.core) & fold.core >> (step + 1) ? upper : lower;
        longer = segments(upper);
        found.messages += segments(window[own]);
      }
      round[own] = std::max(before[own], before[peer]) + longer;
    }
  }
  for (int i = 0; i < fold.extra; ++i) round[static_cast<std::size_t>(i)] += 1;
  found.rounds = *std::max_element(round.begin(), round.end());
  return found;
}
double rounds(const Facts& facts) { return counts(facts).rounds; }
double messages(const Facts& facts) { return counts(facts).messages; }

}  // namespace

TUTTI_ALGORITHM(allreduce, "bine_bdw_remap", allreduce_bine_bdw_remap)
    .parameter("segment", 0, 0)
    .tried({128 << 10})
    .commutative()
    .rounds(rounds, "2*floor_log(p,2) + (pow2(p) ? 0 : 2), and one more for each further segment of a half")
    .messages(messages, "2*P*log2(P) + 2*(p-P), P = 2^floor(log2(p)), and one more for each further segment of a half")
    .bytes("2*(p-1)*n")
    .cite(
        "De Sensi et al.: Bine Trees, SC 2025 (arXiv 2508.17311); HLC-Lab/pico, libbine_allreduce.c, "
        "allreduce_bine_bdw_remap and allreduce_bine_bdw_remap_segmented");

}  // namespace tutti
