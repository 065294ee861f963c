#include "algos/patterns/circulant.hpp"

#include "algos/patterns/rotation.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task reduce_scatter_circulant(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Rotation held{call.blocks, rank};  // this rank's block first, then those of the ranks that follow
  const View sum = comm.scratch(call.in.elements());
  const std::vector<int> skips = circulant_skips(size);
  const View arrived = comm.scratch(held.first(size == 1 ? 0 : size / 2));
  co_await comm.wait(comm.copy(held.of(sum, 0, size - rank), call.blocks.of(call.in, rank, size - rank)),
                     comm.copy(held.of(sum, size - rank, rank), call.blocks.of(call.in, 0, rank)));
  for (std::size_t k = skips.size() - 1; k-- > 0;) {
    const int away = skips[k], blocks = skips[k + 1] - away;
    const View mine = held.of(sum, 0, blocks), theirs = arrived.slice(0, mine.elements());
    co_await comm.exchange((rank + away) % size, held.of(sum, away, blocks), (rank - away + size) % size, theirs);
    co_await comm.wait(comm.combine(mine, theirs, mine));
  }
  co_await comm.wait(comm.copy(call.out, held.of(sum, 0, 1)));
}

TUTTI_ALGORITHM(reduce_scatter, "circulant", reduce_scatter_circulant)
    .commutative()
    .rounds("ceil_log(p,2)")
    .messages("p*ceil_log(p,2)")
    .bytes("(p-1)*n")
    .cite("Traeff: Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, arXiv 2410.14234");

}  // namespace tutti
