#include <algorithm>

#include "algos/patterns/rotation.hpp"
#include "algos/registry.hpp"

namespace tutti {
namespace {

/// Moves what begins at element `by` to the front: in runs that do not overlap their destination or, where these would
/// be more than there are ranks since one block is far smaller than others, by way of scratch memory.
Task shift_down(Comm comm, View buffer, Count by) {
  const Count moved = by > 0 ? buffer.elements() - by : 0;
  if (moved / comm.size() > by) {
    const View aside = comm.scratch(moved);
    co_await comm.wait(comm.copy(aside, buffer.slice(by, moved)));
    co_return co_await comm.wait(comm.copy(buffer.slice(0, moved), aside));
  }
  for (Count done = 0; done < moved; done += by) {
    const Count run = std::min(by, moved - done);
    co_await comm.wait(comm.copy(buffer.slice(done, run), buffer.slice(by + done, run)));
  }
}

}  // namespace

Task allgather_bruck(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Rotation held{call.blocks, rank};  // out keeps the blocks rotated until the end
  const Count before = call.blocks.first(rank), own = call.blocks.count(rank);
  if (!call.in_place) co_await comm.wait(comm.copy(call.out.slice(0, own), call.in));
  co_await shift_down(comm, call.out.slice(0, before + own), call.in_place ? before : 0);

  for (int distance = 1; distance < size; distance *= 2) {
    const int blocks = std::min(distance, size - distance);
    co_await comm.exchange((rank - distance + size) % size, held.of(call.out, 0, blocks), (rank + distance) % size,
                           held.of(call.out, distance, blocks));
  }

  const Count after = rank == 0 ? 0 : held.first(size - rank);  // elements that must move up, from this block on
  const View saved = comm.scratch(after);
  co_await comm.wait(comm.copy(saved, call.out.slice(0, after)));
  co_await shift_down(comm, call.out, after);
  co_await comm.wait(comm.copy(call.out.slice(before, after), saved));
}

TUTTI_ALGORITHM(allgather, "bruck", allgather_bruck)
    .rounds("ceil_log(p,2)")
    .messages("p*ceil_log(p,2)")
    .bytes("(p-1)*n")
    .cite(
        "Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient Algorithms for All-to-All Communications in Multiport "
        "Message-Passing Systems, IEEE TPDS 8(11), 1997, the concatenation operation")
    .deviates(
        "MPICH gathers in a scratch buffer and copies the p blocks out of it, and sends nothing where blocks are "
        "empty");

}  // namespace tutti
