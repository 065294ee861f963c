#include "algos/registry.hpp"

namespace tutti {

Task gather_linear(Comm comm, Call call) {
  if (comm.rank() != call.root) {
    co_await comm.blocking_send(call.root, call.in);
    co_return;
  }
  for (Rank other = 0; other < comm.size(); ++other)
    if (other == call.root)
      co_await comm.wait(comm.copy(call.block(other), call.in));
    else
      co_await comm.wait(comm.recv(other, call.block(other)));
}

TUTTI_ALGORITHM(gather, "linear", gather_linear)
    .rounds("p-1")
    .messages("p-1")
    .bytes("(p-1)*c*e")
    .cite("Open MPI, coll/base: the root receives from one rank after the other");

}  // namespace tutti
