#include "algos/patterns/rotation.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task alltoall_bruck(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Blocks& blocks = call.blocks;
  const Rotation rotated{blocks, rank};
  const View work = comm.scratch(call.out.elements());  // block i is for the rank i after this one
  const std::array<Op, 2> halves = rotate(comm, rotated, work, call.in);
  co_await comm.wait(halves);

  const Count each = blocks.largest();
  for (int distance = 1; distance < size; distance *= 2) {  // blocks whose way has this power of two in it move on
    const View leaving = work.every(distance * each, distance * each, 2 * distance * each);
    View arriving = leaving;
    arriving.buffer = call.out.buffer;
    co_await comm.exchange((rank + distance) % size, leaving, (rank - distance + size) % size, arriving);
    co_await comm.wait(comm.copy(leaving, arriving));
  }

  const std::vector<Op> placed = place_moved(comm, rotated, call.out, work);
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
