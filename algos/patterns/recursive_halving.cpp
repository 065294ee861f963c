#include "algos/patterns/recursive_halving.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "algos/patterns/segments.hpp"

namespace tutti {

Halving halve(const View& window, Rank peer, bool keeps_upper) {
  const Count half = window.elements() / 2;
  const View lower = window.slice(0, half), upper = window.slice(half, window.elements() - half);
  return keeps_upper ? Halving{peer, upper, lower} : Halving{peer, lower, upper};
}

HalvingStep nearest_first(int number, int step, int) { return {number ^ 1 << step, (number >> step & 1) != 0}; }

std::vector<Halving> halvings(const Fold& fold, int number, const View& vector, HalvingOrder order) {
  std::vector<Halving> steps;
  View window = vector;
  for (int step = 0; fold.core >> step > 1; ++step) {
    const HalvingStep at = order(number, step, fold.core);
    steps.push_back(halve(window, fold.rank_of(at.peer), at.keeps_upper));
    window = steps.back().kept;
  }
  return steps;
}

Task fold_in_by_halves(Comm comm, Fold fold, View vector, View inbox) {
  const Rank rank = comm.rank(), partner = fold.partner(rank);
  if (!fold.paired(rank)) co_return;
  const Halving half = halve(vector, partner, !fold.takes_part(rank));
  const View arrived = inbox.slice(0, half.kept.elements());
  co_await comm.exchange(partner, half.given, partner, arrived);
  co_await comm.wait(comm.combine(half.kept, arrived, half.kept));
  if (fold.takes_part(rank))
    co_await comm.wait(comm.recv(partner, half.given));
  else
    co_await comm.blocking_send(partner, half.kept);
}

Task reduce_scatter_by_halving(Comm comm, Fold fold, View vector, View inbox) {
  const Rank rank = comm.rank();
  co_await fold_in_by_halves(comm, fold, vector, inbox);
  if (!fold.takes_part(rank)) co_return;
  for (const Halving& step : halvings(fold, fold.core_number(rank), vector)) {
    const View arrived = inbox.slice(0, step.kept.elements());
    co_await comm.exchange(step.peer, step.given, step.peer, arrived);
    co_await comm.wait(comm.combine(step.kept, arrived, step.kept));
  }
}

Task reduce_scatter_in_segments(Comm comm, Call call, std::vector<Halving> steps) {
  const Count longest = steps.empty() ? 0 : std::max(steps[0].kept.elements(), steps[0].given.elements());
  const Count most = std::min(longest, call.segment_elements(longest));
  const std::array<View, 2> inbox{comm.scratch(most), comm.scratch(most)};
  for (const Halving& step : steps) {
    const Segments kept(step.kept, call), given(step.given, call);
    const auto into = [&](Count i) { return inbox[i % 2].slice(0, kept[i].elements()); };
    Op arriving = comm.recv(step.peer, into(0));
    for (Count i = 0; i < std::max(kept.count(), given.count()); ++i) {
      if (i < given.count()) co_await comm.blocking_send(step.peer, given[i]);
      if (i >= kept.count()) continue;
      const Op current = arriving;
      if (i + 1 < kept.count()) arriving = comm.recv(step.peer, into(i + 1));
      co_await comm.wait(current);
      co_await comm.wait(comm.combine(kept[i], into(i), kept[i]));
    }
  }
}

Task allgather_by_doubling(Comm comm, std::vector<Halving> steps) {
  for (; !steps.empty(); steps.pop_back())
    co_await comm.exchange(steps.back().peer, steps.back().kept, steps.back().peer, steps.back().given);
}

HalvingCounts count_in_segments(const Facts& facts, int core, HalvingOrder order) {
  const auto each = static_cast<Count>(std::max(1.0, std::floor(facts["segment"] / facts["e"])));
  const auto segments = [&](Count elements) {
    return facts["segment"] == 0 ? 1.0 : static_cast<double>(std::max<Count>(1, (elements + each - 1) / each));
  };
  const int steps = std::bit_width(static_cast<unsigned>(core)) - 1;
  std::vector<Count> window(static_cast<std::size_t>(core), static_cast<Count>(facts["c"]));
  std::vector<double> round(window.size(), 0);
  double messages = static_cast<double>(core) * steps;  // of the way back, where nothing is cut
  for (int i = 0; i < 2 * steps; ++i) {
    const std::vector<double> before = round;
    for (int number = 0; number < core; ++number) {
      const auto own = static_cast<std::size_t>(number);
      const HalvingStep at = order(number, i < steps ? i : 2 * steps - 1 - i, core);
      double longer = 1;
      if (i < steps) {
        const Count lower = window[own] / 2, upper = window[own] - lower;
        window[own] = at.keeps_upper ? upper : lower;
        longer = segments(upper);
        messages += segments(window[own]);
      }
      round[own] = std::max(before[own], before[at.peer]) + longer;
    }
  }
  return {*std::max_element(round.begin(), round.end()), messages};
}

namespace {

/// Of the ranks that take no part.
Count elements_of_others(const Facts& facts) {
  const Fold fold(static_cast<int>(facts["p"]));
  Count elements = 0;
  for (int pair = 0; pair < fold.extra; ++pair) elements += facts.count_of(2 * pair);
  return elements;
}

}  // namespace

double rounds_of_full_blocks(const Facts& facts) {
  const Fold fold(static_cast<int>(facts["p"]));
  if (facts["c"] == 0) return 0;
  return std::bit_width(static_cast<unsigned>(fold.core)) - 1 + (fold.extra > 0) + (elements_of_others(facts) > 0);
}

// At each step a half of `half` core numbers is sent by as many ranks, unless its blocks are empty.
double messages_of_full_blocks(const Facts& facts) {
  const Fold fold(static_cast<int>(facts["p"]));
  const Blocks& blocks = facts.blocks();
  int sent = blocks.total() == 0 ? 0 : fold.extra;
  for (int half = fold.core / 2; half > 0; half /= 2)
    for (int low = 0; low < fold.core; low += half)
      if (blocks.first(fold.first_of(low + half)) > blocks.first(fold.first_of(low))) sent += half;
  for (int pair = 0; pair < fold.extra; ++pair) sent += blocks.count(2 * pair) > 0;
  return sent;
}

double bytes_of_full_blocks(const Facts& facts) {
  return (facts["p"] - 1) * facts["n"] + static_cast<double>(elements_of_others(facts)) * facts["e"];
}

double scattered_by_halving(const Fold& fold, double elements) {
  return fold.extra * (elements + std::ceil(elements / 2)) + (fold.core - 1) * elements;
}

double gathered_by_doubling(Count elements, int core, int root) {
  if (core == 1) return 0;
  const Count lower = elements / 2, upper = elements - lower;  // numbers that are alike in their lowest digit
  return static_cast<double>(root % 2 == 1 ? lower : upper) + gathered_by_doubling(lower, core / 2, root / 2) +
         gathered_by_doubling(upper, core / 2, root / 2);
}

}  // namespace tutti
