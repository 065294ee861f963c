#include "algos/patterns/circulant.hpp"

#include "algos/patterns/rotation.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_circulant(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Blocks blocks = Blocks::split(call.in.elements(), size);
  const Rotation held{blocks, rank};  // this rank's block first, then those of the ranks that follow
  const View sum = comm.scratch(call.in.elements()), arrived = comm.scratch(held.first(size == 1 ? 0 : size / 2));
  const std::vector<int> skips = circulant_skips(size);
  co_await comm.wait(comm.copy(held.of(sum, 0, size - rank), blocks.of(call.in, rank, size - rank)),
                     comm.copy(held.of(sum, size - rank, rank), blocks.of(call.in, 0, rank)));
  for (std::size_t k = skips.size() - 1; k-- > 0;) {  // reduce-scatter
    const int away = skips[k], n = skips[k + 1] - away;
    const View mine = held.of(sum, 0, n), theirs = arrived.slice(0, mine.elements());
    co_await comm.exchange((rank + away) % size, held.of(sum, away, n), (rank - away + size) % size, theirs);
    co_await comm.wait(comm.combine(mine, theirs, mine));
  }
  for (std::size_t k = 0; k + 1 < skips.size(); ++k) {  // allgather: the rounds backwards
    const int away = skips[k], n = skips[k + 1] - away;
    co_await comm.exchange((rank - away + size) % size, held.of(sum, 0, n), (rank + away) % size,
                           held.of(sum, away, n));
  }
  co_await comm.wait(comm.copy(blocks.of(call.out, rank, size - rank), held.of(sum, 0, size - rank)),
                     comm.copy(blocks.of(call.out, 0, rank), held.of(sum, size - rank, rank)));
}

TUTTI_ALGORITHM(allreduce, "circulant", allreduce_circulant)
    .commutative()
    .rounds("2*ceil_log(p,2)")
    .messages("2*p*ceil_log(p,2)")
    .bytes("2*(p-1)*n")
    .cite("Traeff: Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, arXiv 2410.14234");

}  // namespace tutti
