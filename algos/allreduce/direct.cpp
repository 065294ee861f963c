#include <vector>

#include "algos/registry.hpp"

namespace tutti {

Task allreduce_direct(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Blocks blocks = Blocks::split(call.out.elements(), size);
  const View result = blocks.of(call.out, rank);
  std::vector<Op> sends;
  for (int away = 1; away < size; ++away) {
    const Rank to = (rank + away) % size;
    sends.push_back(comm.send(to, blocks.of(call.in, to)));
  }
  View so_far = blocks.of(call.in, rank);
  for (int away = 1; away < size; ++away) {
    co_await comm.wait(comm.recv_combine((rank - away + size) % size, result, so_far, Incoming::right));
    so_far = result;
  }
  if (size == 1) co_await comm.wait(comm.copy(result, so_far));
  for (int away = 1; away < size; ++away) comm.send((rank + away) % size, result);
  if (call.in_place) co_await comm.wait(sends);
  for (int away = 1; away < size; ++away) {
    const Rank from = (rank - away + size) % size;
    comm.recv(from, blocks.of(call.out, from));
  }
}

TUTTI_ALGORITHM(allreduce, "direct", allreduce_direct)
    .commutative()
    .rounds("2*(p-1)")
    .messages("2*p*(p-1)")
    .bytes("2*(p-1)*n")
    .cite("every rank combines a block of all vectors, then gives it to all: no vector is moved more than twice");

}  // namespace tutti
