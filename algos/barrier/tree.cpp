#include "algos/registry.hpp"

namespace tutti {

Task barrier_tree(Comm comm, Call) {
  const int size = comm.size(), rank = comm.rank();
  const View nothing;
  int distance = 1;
  for (; distance < size; distance *= 2)  // up a binomial tree: until this rank has a parent to report to
    if (rank & distance) {
      co_await comm.blocking_send(rank - distance, nothing);
      co_await comm.wait(comm.recv(rank - distance, nothing));
      break;
    } else if (rank + distance < size) {
      co_await comm.wait(comm.recv(rank + distance, nothing));
    }
  while (distance /= 2)  // and down again
    if (rank + distance < size) co_await comm.blocking_send(rank + distance, nothing);
}

TUTTI_ALGORITHM(barrier, "tree", barrier_tree)
    .rounds("2*ceil_log(p,2)")
    .messages("2*(p-1)")
    .bytes("0")
    .cite(
        "Mellor-Crummey, Scott: Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors, ACM TOCS "
        "1991,"
        " section 3.4");

}  // namespace tutti
