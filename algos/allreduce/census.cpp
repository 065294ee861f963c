#include <algorithm>
#include <vector>

#include "algos/patterns/circulant.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_census(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const std::vector<int> skips = circulant_skips(size);
  const auto is_odd = [](int skip) { return skip % 2 != 0; };
  const auto odd_after = [&](std::size_t k) {
    return std::any_of(skips.begin() + static_cast<long>(k), skips.end(), is_odd);
  };
  // Over this rank and those before it, as many as the round's skip, and over the same but this rank.
  const View sum = call.out, others = comm.scratch(odd_after(1) ? sum.elements() : 0);
  const View arrived = comm.scratch(size > 1 ? sum.elements() : 0);
  co_await comm.wait(comm.copy(sum, call.in));
  for (std::size_t k = 0; k + 1 < skips.size(); ++k) {
    const bool odd = is_odd(skips[k + 1]);  // then two sums would overlap in one rank
    const int away = skips[k] - odd;
    co_await comm.exchange((rank + away) % size, odd ? others : sum, (rank - away + size) % size, arrived);
    if (odd_after(k + 2))
      co_await comm.wait(k == 0 ? comm.copy(others, arrived) : comm.combine(others, arrived, others));
    co_await comm.wait(comm.combine(sum, arrived, sum));
  }
}

TUTTI_ALGORITHM(allreduce, "census", allreduce_census)
    .commutative()
    .rounds("ceil_log(p,2)")
    .messages("p*ceil_log(p,2)")
    .bytes("p*ceil_log(p,2)*n")
    .cite(
        "Bar-Noy, Kipnis, Schieber: An Optimal Algorithm for Computing Census Functions in Message-Passing Systems, "
        "Parallel Processing Letters 3(1), 1993; as many steps as the latency-optimal end of Kolmakov, Zhang, arXiv "
        "2004.09362");

}  // namespace tutti
