#include <algorithm>
#include <array>

#include "algos/patterns/irregular.hpp"

namespace tutti {
namespace {

/// Blocks of the ranks from one on, going back around the ring, in pieces of `most` elements; an empty block is one
/// empty piece.
struct Walk {
  Rank block;
  Count left;  // elements in all
  Count offset = 0;

  View next(const Call& call, Count most) {
    if (left == 0) return {};
    const Count count = call.blocks.count(block), piece = std::min(most, count - offset);
    const View view = call.block(block).slice(offset, piece);
    offset += piece;
    left -= piece;
    if (offset == count) offset = 0, block = (block + call.blocks.parts - 1) % call.blocks.parts;
    return view;
  }
};

Task allgatherv_segmented_ring(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Rank right = (rank + 1) % size, left = (rank - 1 + size) % size;
  const Count most = call.segment_elements(call.blocks.largest()), all = call.blocks.total();
  co_await comm.wait(comm.copy(call.block(rank), call.in));
  Walk leaving{rank, all - call.blocks.count(right)}, arriving{left, all - call.blocks.count(rank)};
  while (leaving.left > 0 || arriving.left > 0) {  // a piece that leaves has come in an earlier step
    const View into = arriving.next(call, most), what = leaving.next(call, most);
    std::array<Op, 2> ops{};
    std::size_t posted = 0;
    if (!into.empty()) ops[posted++] = comm.recv(left, into);
    if (!what.empty()) ops[posted++] = comm.send(right, what);
    co_await comm.wait(std::span(ops).first(posted));
  }
}

double least(const Facts& facts) { return ring_segments(facts, 0); }
double most(const Facts& facts) { return ring_segments(facts, 1); }
double messages(const Facts& facts) { return (facts["p"] - 1) * segments_of_blocks(facts, 0).sum; }

}  // namespace

TUTTI_ALGORITHM(allgatherv, "segmented_ring", allgatherv_segmented_ring)
    .parameter("segment", 32 << 10, 0)
    .rounds_between(least, most, "segments of all blocks but one rank's; an empty block may take a round")
    .messages(messages, "p-1 for each segment of each block")
    .bytes("(p-1)*n")
    .cite(
        "MPICH, src/mpi/coll/allgatherv/allgatherv_intra_ring.c, with MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE; Traeff "
        "et "
        "al.: A Pipelined Algorithm for Large, Irregular All-gather Problems, IJHPCA 24(1), 2010");

}  // namespace tutti
