#include "algos/registry.hpp"

namespace tutti {

Task barrier_linear(Comm comm, Call) {
  const int size = comm.size();
  const View nothing;
  if (comm.rank() != 0) {
    co_await comm.blocking_send(0, nothing);
    co_await comm.wait(comm.recv(0, nothing));
    co_return;
  }
  std::vector<Op> arrivals;
  for (Rank other = 1; other < size; ++other) arrivals.push_back(comm.recv(other, nothing));
  co_await comm.wait(arrivals);
  for (Rank other = 1; other < size; ++other) co_await comm.blocking_send(other, nothing);
}

TUTTI_ALGORITHM(barrier, "linear", barrier_linear)
    .rounds("2*(p-1)")
    .messages("2*(p-1)")
    .bytes("0")
    .cite(
        "Mellor-Crummey, Scott: Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors, ACM TOCS "
        "1991,"
        " section 3.1 (the centralised barrier)")
    .deviates("Open MPI's rank 0 receives from any source; here it names the sources.");

}  // namespace tutti
