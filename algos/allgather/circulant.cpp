#include "algos/patterns/circulant.hpp"

#include "algos/patterns/rotation.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allgather_circulant(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Rotation held{call.blocks, rank};  // this block first, then those of the ranks that follow
  const View work = rank == 0 ? call.out : comm.scratch(call.out.elements());
  co_await comm.wait(comm.copy(held.of(work, 0, 1), call.in));
  const std::vector<int> skips = circulant_skips(size);
  for (std::size_t k = 0; k + 1 < skips.size(); ++k) {
    const int away = skips[k], blocks = skips[k + 1] - away;
    co_await comm.exchange((rank - away + size) % size, held.of(work, 0, blocks), (rank + away) % size,
                           held.of(work, away, blocks));
  }
  if (rank == 0) co_return;
  co_await comm.wait(comm.copy(call.block(0, rank), held.of(work, size - rank, rank)),
                     comm.copy(call.block(rank, size - rank), held.of(work, 0, size - rank)));
}

TUTTI_ALGORITHM(allgather, "circulant", allgather_circulant)
    .rounds("ceil_log(p,2)")
    .messages("p*ceil_log(p,2)")
    .bytes("(p-1)*n")
    .cite("Traeff: Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, arXiv 2410.14234");

}  // namespace tutti
