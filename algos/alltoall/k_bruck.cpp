#include <algorithm>
#include <vector>

#include "algos/patterns/rotation.hpp"
#include "algos/patterns/unaliased_input.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task alltoall_k_bruck(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const std::int64_t radix = std::min<std::int64_t>(call.parameter("radix"), std::max(2, size));
  const Rotation rotated{call.blocks, rank};
  const View in = unaliased_input(comm, call), work = call.out;  // block i of work is for the rank i after this one
  co_await comm.wait(comm.copy(in, call.in));
  const std::array<Op, 2> halves = rotate(comm, rotated, work, in);
  co_await comm.wait(halves);

  const Count each = call.blocks.largest();
  std::int64_t most = 1;  // blocks in a message
  while (most * radix < size) most *= radix;
  const View packed = comm.scratch((radix - 1) * most * each), received = comm.scratch(packed.elements());
  std::vector<View> moving;
  std::vector<Op> ops;
  for (std::int64_t distance = 1; distance < size; distance *= radix) {
    // In a phase, the blocks with digit d at this place (base k) of their way move on by d * distance, packed.
    moving.clear(), ops.clear();
    for (std::int64_t away = distance; away < std::min<std::int64_t>(size, distance * radix); away += distance) {
      const int peer = static_cast<int>(away);
      const Count slot = static_cast<Count>(moving.size()) * most * each;
      moving.push_back(work.every(away * each, distance * each, distance * radix * each));
      const Count elements = moving.back().elements();
      co_await comm.wait(comm.copy(packed.slice(slot, elements), moving.back()));
      ops.push_back(comm.recv((rank - peer + size) % size, received.slice(slot, elements)));
      ops.push_back(comm.send((rank + peer) % size, packed.slice(slot, elements)));
    }
    co_await comm.wait(ops);
    for (std::size_t i = 0; i < moving.size(); ++i)
      co_await comm.wait(
          comm.copy(moving[i], received.slice(static_cast<Count>(i) * most * each, moving[i].elements())));
  }

  const View arrived = comm.scratch(work.elements());
  co_await comm.wait(comm.copy(arrived, work));
  const std::vector<Op> placed = place_moved(comm, rotated, call.out, arrived);
  co_await comm.wait(placed);
}

TUTTI_ALGORITHM(alltoall, "k_bruck", alltoall_k_bruck)
    .parameter("radix", 2, 2)
    .ports("k-1")
    .rounds("ceil_log(p,k)")
    .messages("p*sum(i,0,ceil_log(p,k)-1,min(k-1,ceil(p/pow(k,i))-1))")
    .bytes("n*sum(i,0,ceil_log(p,k)-1,p-floor(p/pow(k,i+1))*pow(k,i)-min(pow(k,i),p%pow(k,i+1)))")
    .cite(
        "Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient Algorithms for All-to-All Communications in Multiport "
        "Message-Passing Systems, IEEE TPDS 8(11), 1997, the index operation");

}  // namespace tutti
