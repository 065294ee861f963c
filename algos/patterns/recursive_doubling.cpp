#include "algos/patterns/recursive_doubling.hpp"

#include <algorithm>
#include <bit>

namespace tutti {

Task pass_on_by_halving(Comm comm, Rank root, int width, int had, View what) {
  const int size = comm.size(), v = virtual_rank(comm.rank(), root, size);
  for (int half = width / 2; half > 0; half /= 2) {
    const int place = v % (2 * half);  // in the subtree now halved, whose first `had` ranks have it
    if (place < half && place < had && place + half >= had)
      co_await comm.blocking_send(real_rank(v + half, root, size), what);
    else if (place >= half && place >= had && place - half < had)
      co_await comm.wait(comm.recv(real_rank(v - half, root, size), what));
  }
}

double recursive_doubling_messages(int size) {
  double messages = 0;
  for (int width = 1; width < size; width *= 2) {
    const int rest = size % (2 * width);  // ranks of the last, incomplete pair of subtrees
    messages += rest <= width ? size - rest : size;
  }
  return messages;
}

double recursive_doubling_rounds(const Facts& facts) {
  if (facts["c"] == 0) return 0;
  const auto size = static_cast<int>(facts["p"]);
  // Whole subtrees of 2^i ranks are done after i rounds. The last one is whole, or is joined by the smaller rest behind
  // it: one exchange, then the halving that reaches those without a partner.
  int rest = 0, round = 0;
  for (int width = 1, step = 0; width <= size; width <<= 1, ++step) {
    if (!(size & width)) continue;
    round = rest == 0 ? step : std::max(round, step) + 1 + std::bit_width(static_cast<unsigned>((width - 1) / rest));
    rest += width;
  }
  return round;
}

std::vector<int> after_recursive_doubling(std::vector<int> round) {
  const auto size = static_cast<int>(round.size());
  const auto meet = [&](int a, int b) {  // a message takes both to the round after the later one
    auto &x = round[a], &y = round[b];
    x = y = std::max(x, y) + 1;
  };
  for (int width = 1; width < size; width *= 2)
    for (int low = 0; low + width < size; low += 2 * width) {
      const int had = std::min(width, size - low - width);  // ranks of the lower subtree with a partner
      for (int v = low; v < low + had; ++v) meet(v, v + width);
      for (int half = width / 2, have = had; have < width; half /= 2, have *= 2)
        for (int v = low; v + half < low + width; ++v)
          if ((v - low) % (2 * half) < std::min(half, had) && (v - low) % (2 * half) + half >= had) meet(v, v + half);
    }
  return round;
}

}  // namespace tutti
