#include "algos/patterns/circulant.hpp"

#include <vector>

#include "algos/patterns/segments.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task bcast_circulant(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const Segments blocks(call.out, call);
  std::vector<Op> ops;
  for (const CirculantRound& round : circulant_bcast_rounds(size, vrank, blocks.count())) {
    ops.clear();
    if (round.received >= 0) ops.push_back(comm.recv(real_rank(round.from, call.root, size), blocks[round.received]));
    if (round.sent >= 0) ops.push_back(comm.send(real_rank(round.to, call.root, size), blocks[round.sent]));
    co_await comm.wait(ops);
  }
}

TUTTI_ALGORITHM(bcast, "circulant", bcast_circulant)
    .parameter("segment", 64 << 10, 0)
    .rounds("p == 1 ? 0 : segments - 1 + ceil_log(p,2)")
    .messages("(p-1)*segments")
    .bytes("(p-1)*n")
    .cite(
        "Traeff: Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast, All-Broadcast, "
        "Reduction and All-Reduction, arXiv 2407.18004")
    .deviates("MPICH's circ_graph has another search, which is wrong for some numbers of ranks");

}  // namespace tutti
