#include "algos/patterns/ring_in_segments.hpp"

#include <algorithm>
#include <array>
#include <span>

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

}  // namespace

Task allgather_in_segments(Comm comm, Call call) {
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

}  // namespace tutti
