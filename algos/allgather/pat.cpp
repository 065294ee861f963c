#include <bit>

#include "algos/registry.hpp"

namespace tutti {

Task allgather_pat(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Count most = call.blocks.largest() * (size / 2);
  const View leaving = comm.scratch(most), arriving = comm.scratch(most);
  co_await comm.wait(comm.copy(call.block(rank), call.in));
  std::vector<Op> placed;
  const auto far = static_cast<int>(std::bit_ceil(static_cast<unsigned>(size)) / 2);
  for (int away = far; away > 0; away /= 2) {  // far ranks first: the block of the rank s below comes where `away` is
    Count out = 0, in = 0;                     // the lowest place of s; those of a step travel as one
    placed.clear();
    for (int s = away; s < size; s += 2 * away) {
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
    for (int s = away; s < size; s += 2 * away) {
      const View block = call.block((rank - s + size) % size);
      placed.push_back(comm.copy(block, arriving.slice(in, block.elements())));
      in += block.elements();
    }
    co_await comm.wait(placed);
  }
}

TUTTI_ALGORITHM(allgather, "pat", allgather_pat)
    .rounds("ceil_log(p,2)")
    .messages("p*ceil_log(p,2)")
    .bytes("(p-1)*n")
    .cite(
        "Jeaugey: PAT: a new algorithm for all-gather and reduce-scatter operations at scale, arXiv 2506.20252; NCCL "
        "2.23, src/include/collectives.h")
    .deviates("All blocks of a step in one message (full aggregation) at any size; NCCL bounds them by its buffers");

}  // namespace tutti
