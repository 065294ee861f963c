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

}  // namespace tutti
