#include <vector>

#include "algos/registry.hpp"

namespace tutti {

Task reduce_direct(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Blocks blocks = Blocks::split(call.in.elements(), size);
  const View own = blocks.of(call.in, rank);
  const View result = rank == call.root ? blocks.of(call.out, rank) : comm.scratch(own.elements());
  std::vector<Op> sends;
  for (int away = 1; away < size; ++away) {
    const Rank to = (rank + away) % size;
    sends.push_back(comm.send(to, blocks.of(call.in, to)));
  }
  View so_far = own;
  for (int away = 1; away < size; ++away) {
    co_await comm.wait(comm.recv_combine((rank - away + size) % size, result, so_far, Incoming::right));
    so_far = result;
  }
  if (rank != call.root) {
    comm.send(call.root, size == 1 ? own : result);
    co_return;
  }
  if (size == 1) co_await comm.wait(comm.copy(result, own));
  if (call.in_place) co_await comm.wait(sends);
  for (int away = 1; away < size; ++away) {
    const Rank from = (rank + away) % size;
    comm.recv(from, blocks.of(call.out, from));
  }
}

TUTTI_ALGORITHM(reduce, "direct", reduce_direct)
    .commutative()
    .rounds("p == 1 ? 0 : p == 2 ? 2 : 2*(p-1)")
    .messages("(p+1)*(p-1)")
    .bytes("p*n-(floor(c/p)+(root < c%p ? 1 : 0))*e")
    .cite("every rank combines a block of all vectors and gives it to the root: all take part in combining");

}  // namespace tutti
