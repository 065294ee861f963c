#include "algos/patterns/prefix.hpp"

#include <utility>

namespace tutti {

Task prefix_by_doubling(Comm comm, Call call, bool has_own) {
  const int size = comm.size();
  const Rank rank = comm.rank();
  if (size == 1) co_return;
  View group = comm.scratch(call.out.elements());  // the reduction over all ranks met so far
  View arrived = comm.scratch(call.out.elements());
  co_await comm.wait(comm.copy(group, call.in));
  for (int distance = 1; distance < size; distance <<= 1) {
    const Rank peer = rank ^ distance;
    if (peer >= size) continue;
    co_await comm.exchange(peer, group, peer, arrived);
    if (peer < rank) {
      const Op prefix = has_own ? comm.combine(call.out, arrived, call.out) : comm.copy(call.out, arrived);
      const Op both = comm.combine(group, arrived, group);
      co_await comm.wait(prefix, both);
      has_own = true;
    } else if (call.commutative()) {
      co_await comm.wait(comm.combine(group, arrived, group));
    } else {
      co_await comm.wait(comm.combine(arrived, group, arrived));
      std::swap(group, arrived);
    }
  }
}

namespace {

/// Calls `exchange(a, b)` for each exchange, and `wait()` after each step.
template <class Exchange, class Wait>
void follow_prefix(int size, Exchange exchange, Wait wait) {
  for (int distance = 1; distance < size; distance *= 2, wait())
    for (int i = 0; i + distance < size; ++i)
      if ((i & distance) == 0) exchange(static_cast<std::size_t>(i), static_cast<std::size_t>(i + distance));
}

}  // namespace

double prefix_messages(int size) {
  double messages = 0;
  follow_prefix(
      size, [&](std::size_t, std::size_t) { messages += 2; }, [] {});
  return messages;
}

RoundClock after_prefix(const std::vector<int>& round) {
  RoundClock clock(round);
  follow_prefix(
      static_cast<int>(round.size()), [&](std::size_t a, std::size_t b) { clock.exchange(a, b); },
      [&] { clock.wait(); });
  return clock;
}

}  // namespace tutti
