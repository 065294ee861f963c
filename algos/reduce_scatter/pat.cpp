#include <bit>

#include "algos/registry.hpp"

namespace tutti {

Task reduce_scatter_pat(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Count most = call.blocks.largest() * (size / 2);
  const View sum = comm.scratch(call.in.elements()), leaving = comm.scratch(most), arriving = comm.scratch(most);
  co_await comm.wait(comm.copy(sum, call.in));
  std::vector<Op> ops;
  for (int away = 1; away < size; away *= 2) {  // the allgather backwards, near ranks first
    Count out = 0, in = 0;
    ops.clear();
    for (int s = away; s < size; s += 2 * away) {
      const View block = call.blocks.of(sum, (rank - s + size) % size);
      ops.push_back(comm.copy(leaving.slice(out, block.elements()), block));
      out += block.elements();
      in += call.blocks.count((rank + away - s + size) % size);
    }
    co_await comm.wait(ops);
    co_await comm.exchange((rank - away + size) % size, leaving.slice(0, out), (rank + away) % size,
                           arriving.slice(0, in));
    ops.clear();
    in = 0;
    for (int s = away; s < size; s += 2 * away) {
      const View block = call.blocks.of(sum, (rank + away - s + size) % size);
      ops.push_back(comm.combine(block, arriving.slice(in, block.elements()), block));
      in += block.elements();
    }
    co_await comm.wait(ops);
  }
  co_await comm.wait(comm.copy(call.out, call.blocks.of(sum, rank)));
}

TUTTI_ALGORITHM(reduce_scatter, "pat", reduce_scatter_pat)
    .commutative()
    .rounds("ceil_log(p,2)")
    .messages("p*ceil_log(p,2)")
    .bytes("(p-1)*n")
    .cite(
        "Jeaugey: PAT: a new algorithm for all-gather and reduce-scatter operations at scale, arXiv 2506.20252; NCCL "
        "2.23, src/include/collectives.h")
    .deviates("All blocks of a step in one message (full aggregation) at any size; NCCL bounds them by its buffers");

}  // namespace tutti
