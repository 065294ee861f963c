#include "algos/patterns/circulant_halving.hpp"

#include <vector>

#include "algos/patterns/circulant.hpp"

namespace tutti {

View around(const Blocks& blocks, const View& buffer, int first, int number) {
  first %= blocks.parts;
  if (number >= blocks.parts) return buffer;
  if (first + number <= blocks.parts) return blocks.of(buffer, first, number);
  const Count end = blocks.first(first + number - blocks.parts);
  return buffer.except(end, blocks.first(first) - end);
}

Task reduce_scatter_by_circulant_halving(Comm comm, View in, View sum, Blocks blocks) {
  const int size = comm.size(), rank = comm.rank();
  const std::vector<int> skips = circulant_skips(size);
  const View arrived = comm.scratch(around(blocks, in, rank, size / 2).elements());
  View held = in;
  for (std::size_t k = skips.size() - 1; k-- > 0; held = sum) {
    const int away = skips[k], n = skips[k + 1] - away, others = away - n;  // which nobody adds to in this round
    const View mine = around(blocks, sum, rank, n), theirs = arrived.slice(0, mine.elements());
    co_await comm.exchange((rank + away) % size, around(blocks, held, rank + away, n), (rank - away + size) % size,
                           theirs);
    co_await comm.wait(comm.combine(mine, theirs, around(blocks, held, rank, n)),
                       comm.copy(around(blocks, sum, rank + n, others), around(blocks, held, rank + n, others)));
  }
  if (size == 1) co_await comm.wait(comm.copy(sum, in));
}

Task allgather_by_circulant_doubling(Comm comm, View vector, Blocks blocks, std::size_t done) {
  const int size = comm.size(), rank = comm.rank();
  const std::vector<int> skips = circulant_skips(size);
  for (std::size_t k = done; k + 1 < skips.size(); ++k) {
    const int away = skips[k], n = skips[k + 1] - away;
    co_await comm.exchange((rank - away + size) % size, around(blocks, vector, rank, n), (rank + away) % size,
                           around(blocks, vector, rank + away, n));
  }
}

}  // namespace tutti
