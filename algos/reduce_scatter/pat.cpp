#include "algos/patterns/pat.hpp"

#include <algorithm>

#include "algos/registry.hpp"

namespace tutti {

Task reduce_scatter_pat(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  std::vector<PatStep> steps = pat_steps(size, call.parameter("aggregation"));
  const Count most = std::min(call.blocks.largest() * ((size + 1) / 2), call.in.elements());
  const View sum = comm.scratch(call.in.elements()), leaving = comm.scratch(most), arriving = comm.scratch(most);
  co_await comm.wait(comm.copy(sum, call.in));
  std::vector<Op> ops;
  for (; !steps.empty(); steps.pop_back()) {  // the allgather backwards
    const auto [away, first, every] = steps.back();
    Count out = 0, in = 0;
    ops.clear();
    for (int s = first; s < size; s += every) {
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
    for (int s = first; s < size; s += every) {
      const View block = call.blocks.of(sum, (rank + away - s + size) % size);
      ops.push_back(comm.combine(block, arriving.slice(in, block.elements()), block));
      in += block.elements();
    }
    co_await comm.wait(ops);
  }
  co_await comm.wait(comm.copy(call.out, call.blocks.of(sum, rank)));
}

// Halvings of the distance, and the ranks of a tree but its root.
#define TUTTI_HALVINGS "min(ceil_log(p,2),aggregation == 0 ? p : floor_log(aggregation,2))"
#define TUTTI_STEPS TUTTI_HALVINGS " + min(pow(2,ceil_log(p,2)-" TUTTI_HALVINGS "),p) - 1"

TUTTI_ALGORITHM(reduce_scatter, "pat", reduce_scatter_pat)
    .parameter("aggregation", 0, 0)
    .tried({8})
    .commutative()
    .rounds(TUTTI_STEPS)
    .messages("p*(" TUTTI_STEPS ")")
    .bytes("(p-1)*n")
    .cite(
        "Jeaugey: PAT: a new algorithm for all-gather and reduce-scatter operations at scale, arXiv 2506.20252; NCCL "
        "2.23, src/include/collectives.h")
    .deviates(
        "a message's bound is in blocks, and the trees are walked in rank order; NCCL derives both from its buffers");

}  // namespace tutti
