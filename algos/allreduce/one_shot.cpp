#include "algos/registry.hpp"

namespace tutti {

// All ranks combine in the same order, so that sums of rounded numbers are the same everywhere.
Task allreduce_one_shot(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  View own = call.in;
  if (call.in_place && size > 1) {
    own = comm.scratch(call.in.elements());
    co_await comm.wait(comm.copy(own, call.in));
  }
  for (int away = 1; away < size; ++away) comm.send((rank + away) % size, own);
  if (rank == 0) {
    if (size > 1) co_await comm.wait(comm.recv_combine(1, call.out, own, Incoming::right));
  } else if (rank == 1) {
    co_await comm.wait(comm.recv_combine(0, call.out, own, Incoming::left));
  } else {
    co_await comm.wait(comm.recv(0, call.out));
    co_await comm.wait(comm.recv_combine(1, call.out, call.out, Incoming::right));
  }
  for (Rank other = 2; other < size; ++other)
    if (other == rank)
      co_await comm.wait(comm.combine(call.out, call.out, own));
    else
      co_await comm.wait(comm.recv_combine(other, call.out, call.out, Incoming::right));
  if (size == 1) co_await comm.wait(comm.copy(call.out, call.in));
}

TUTTI_ALGORITHM(allreduce, "one_shot", allreduce_one_shot)
    .rounds("p == 1 ? 0 : 2*p-3")
    .messages("p*(p-1)")
    .bytes("p*(p-1)*n")
    .cite("every rank gives its vector to every other, and each combines all of them by itself");

}  // namespace tutti
