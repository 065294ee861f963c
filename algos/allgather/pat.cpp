#include "algos/patterns/pat.hpp"

#include "algos/registry.hpp"

namespace tutti {

Task allgather_pat(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const std::vector<PatStep> steps = pat_steps(size, call.parameter("aggregation"));
  const Count most = call.blocks.largest() * ((size + 1) / 2);
  const View leaving = comm.scratch(most), arriving = comm.scratch(most);
  co_await comm.wait(comm.copy(call.block(rank), call.in));
  std::vector<Op> placed;
  for (const auto [away, first, every] : steps) {
    Count out = 0, in = 0;
    placed.clear();
    for (int s = first; s < size; s += every) {
      const View block = call.block((rank - s + away + size) % size);
      placed.push_back(comm.copy(leaving.slice(out, block.elements()), block));
      out += block.elements();
      in += call.blocks.count((rank - s + size) % size);
    }
    co_await comm.wait(placed);
    co_await comm.exchange((rank + away) % size, leaving.slice(0, out), (rank - away + size) % size,
                           arriving.slice(0, in));
    placed.clear();
    in = 0;
    for (int s = first; s < size; s += every) {
      const View block = call.block((rank - s + size) % size);
      placed.push_back(comm.copy(block, arriving.slice(in, block.elements())));
      in += block.elements();
    }
    co_await comm.wait(placed);
  }
}

// Halvings of the distance, and the ranks of a tree but its root.
#define TUTTI_HALVINGS "min(ceil_log(p,2),aggregation == 0 ? p : floor_log(aggregation,2))"
#define TUTTI_STEPS TUTTI_HALVINGS " + min(pow(2,ceil_log(p,2)-" TUTTI_HALVINGS "),p) - 1"

TUTTI_ALGORITHM(allgather, "pat", allgather_pat)
    .parameter("aggregation", 0, 0)
    .tried({8})
    .rounds(TUTTI_STEPS)
    .messages("p*(" TUTTI_STEPS ")")
    .bytes("(p-1)*n")
    .cite(
        "Jeaugey: PAT: a new algorithm for all-gather and reduce-scatter operations at scale, arXiv 2506.20252; NCCL "
        "2.23, src/include/collectives.h")
    .deviates(
        "a message's bound is in blocks, and the trees are walked in rank order; NCCL derives both from its buffers");

}  // namespace tutti
