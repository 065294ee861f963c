#include "algos/registry.hpp"

namespace tutti {

Task bcast_linear(Comm comm, Call call) {
  if (comm.rank() != call.root) {
    co_await comm.wait(comm.recv(call.root, call.out));
    co_return;
  }
  for (Rank other = 0; other < comm.size(); ++other)
    if (other != call.root) comm.send(other, call.out);
}

TUTTI_ALGORITHM(bcast, "linear", bcast_linear)
    .rounds("p-1")
    .messages("p-1")
    .bytes("(p-1)*n")
    .cite("Open MPI, coll/base: the root posts a send to every other rank");

}  // namespace tutti
