#include "algos/patterns/ring.hpp"

#include "algos/registry.hpp"

namespace tutti {

Task allreduce_ring(Comm comm, Call call) {
  const Blocks blocks = Blocks::split(call.out.elements(), comm.size());
  co_await comm.wait(comm.copy(call.out, call.in));
  co_await reduce_around_ring(comm, call.out, blocks, comm.rank());
  co_await collect_around_ring(comm, call.out, blocks, (comm.rank() + 1) % comm.size());
}

TUTTI_ALGORITHM(allreduce, "ring", allreduce_ring)
    .commutative()
    .fallback("c < p", "recursive_doubling")
    .rounds("2*(p-1)")
    .messages("2*p*(p-1)")
    .bytes("2*(p-1)*n")
    .cite("Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for clusters of workstations, JPDC 2009")
    .deviates(
        "MPICH cuts blocks of ceil(count/p) elements, runs the ring at any count, and waits for each block before it "
        "posts the next receive");

}  // namespace tutti
