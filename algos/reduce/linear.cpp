#include "algos/registry.hpp"

namespace tutti {

Task reduce_linear(Comm comm, Call call) {
  const Rank root = call.root, last = comm.size() - 1;
  const View own = call.in;
  if (comm.rank() != root) {
    co_await comm.blocking_send(root, own);
    co_return;
  }
  const View result = call.in_place ? comm.scratch(own.elements()) : call.out;
  const View incoming = comm.scratch(last > 0 ? own.elements() : 0);
  if (root == last)
    co_await comm.wait(comm.copy(result, own));
  else
    co_await comm.wait(comm.recv(last, result));
  for (Rank other = last - 1; other >= 0; --other) {  // from right to left: the operands stay in order
    if (other != root) co_await comm.wait(comm.recv(other, incoming));
    co_await comm.wait(comm.combine(result, other == root ? own : incoming, result));
  }
  co_await comm.wait(comm.copy(call.out, result));
}

TUTTI_ALGORITHM(reduce, "linear", reduce_linear)
    .rounds("p-1")
    .messages("p-1")
    .bytes("(p-1)*n")
    .cite("Open MPI, coll/base: the root receives from one rank after the other, last rank first");

}  // namespace tutti
