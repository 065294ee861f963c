#include "algos/registry.hpp"
#include "algos/scatter/calls.hpp"

namespace tutti {

Task scatter_linear(Comm comm, Call call) {
  if (comm.rank() != call.root) {
    co_await comm.wait(comm.recv(call.root, call.out));
    co_return;
  }
  for (Rank other = 0; other < comm.size(); ++other)
    if (other == call.root)
      co_await comm.wait(comm.copy(call.out, call.block(other)));
    else
      co_await comm.blocking_send(other, call.block(other));
}

TUTTI_ALGORITHM(scatter, "linear", scatter_linear)
    .rounds("p-1")
    .messages("p-1")
    .bytes("(p-1)*c*e")
    .cite("Open MPI, coll/base: the root sends to one rank after the other");

}  // namespace tutti
