#include "algos/registry.hpp"

namespace tutti {

// A temporary would take its place in every rank's frame.
constexpr View kNothing;

Task barrier_bruck(Comm comm, Call) {
  const int size = comm.size(), rank = comm.rank();
  for (int distance = 1; distance < size; distance *= 2)
    co_await comm.exchange((rank + distance) % size, kNothing, (rank - distance + size) % size, kNothing);
}

TUTTI_ALGORITHM(barrier, "bruck", barrier_bruck)
    .rounds("ceil_log(p,2)")
    .messages("p*ceil_log(p,2)")
    .bytes("0")
    .cite(
        "Hensgen, Finkel, Manber: Two Algorithms for Barrier Synchronization, Int. J. Parallel Programming 17(1), 1988 "
        "(the dissemination barrier)");

}  // namespace tutti
