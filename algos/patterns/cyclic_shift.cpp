#include "algos/patterns/cyclic_shift.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tutti {

Task collect_by_cyclic_shift(Comm comm, View work, Rotation held, std::int64_t radix) {
  const int size = comm.size(), rank = comm.rank();
  std::vector<Op> ops;
  for (std::int64_t distance = 1; distance < size; distance *= radix) {
    ops.clear();
    for (std::int64_t away = distance; away < std::min<std::int64_t>(size, distance * radix); away += distance) {
      const int peer = static_cast<int>(away), blocks = static_cast<int>(std::min(distance, size - away));
      ops.push_back(comm.recv((rank + peer) % size, held.of(work, peer, blocks)));
      ops.push_back(comm.send((rank - peer + size) % size, held.of(work, 0, blocks)));
    }
    co_await comm.wait(ops);
  }
}

Task reduce_by_cyclic_shift(Comm comm, View work, Rotation held, std::int64_t radix) {
  const int size = comm.size(), rank = comm.rank();
  std::int64_t distance = 1;
  while (distance * radix < size) distance *= radix;
  std::vector<Op> ops;
  std::vector<View> arriving;
  for (; size > 1 && distance > 0; distance /= radix) {
    ops.clear();
    arriving.clear();
    for (std::int64_t away = distance; away < std::min<std::int64_t>(size, distance * radix); away += distance) {
      const int peer = static_cast<int>(away), blocks = static_cast<int>(std::min(distance, size - away));
      arriving.push_back(comm.scratch(held.first(blocks)));
      ops.push_back(comm.recv((rank - peer + size) % size, arriving.back()));
      ops.push_back(comm.send((rank + peer) % size, held.of(work, peer, blocks)));
    }
    co_await comm.wait(ops);
    for (const View& part : arriving) {
      const View sum = work.slice(0, part.elements());
      co_await comm.wait(comm.combine(sum, part, sum));
    }
  }
}

}  // namespace tutti
