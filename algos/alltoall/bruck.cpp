#include <vector>

#include "algos/patterns/rotation.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task alltoall_bruck(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Blocks& blocks = call.blocks;
  const Rotation rotated{blocks, rank};
  const View work = comm.scratch(call.out.elements());  // block i is for the rank i after this one
  const Op upper = comm.copy(rotated.of(work, 0, size - rank), blocks.of(call.in, rank, size - rank));
  const Op lower = comm.copy(rotated.of(work, size - rank, rank), blocks.of(call.in, 0, rank));
  co_await comm.wait(upper, lower);

  const Count each = blocks.largest();
  for (int distance = 1; distance < size; distance *= 2) {  // blocks whose way has this power of two in it move on
    const View leaving = work.every(distance * each, distance * each, 2 * distance * each);
    View arriving = leaving;
    arriving.buffer = call.out.buffer;
    co_await comm.exchange((rank + distance) % size, leaving, (rank - distance + size) % size, arriving);
    co_await comm.wait(comm.copy(leaving, arriving));
  }

  std::vector<Op> placed;
  for (int i = 0; i < size; ++i)
    placed.push_back(comm.copy(blocks.of(call.out, (rank - i + size) % size), blocks.of(work, i)));
  co_await comm.wait(placed);
}

TUTTI_ALGORITHM(alltoall, "bruck", alltoall_bruck)
    .rounds("ceil_log(p,2)")
    .messages("p*ceil_log(p,2)")
    .bytes("n*sum(i,0,ceil_log(p,2)-1,floor(p/pow(2,i+1))*pow(2,i)+max(0,p%pow(2,i+1)-pow(2,i)))")
    .cite(
        "Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient Algorithms for All-to-All Communications in Multiport "
        "Message-Passing Systems, IEEE TPDS 8(11), 1997, the index operation")
    .deviates(
        "in place Open MPI runs another algorithm; MPICH packs what it sends and receives where it belongs, so that "
        "it copies before each exchange, not after it");

}  // namespace tutti
