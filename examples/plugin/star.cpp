#include "algos/plugin.hpp"

using namespace tutti;

Task bcast_star(Comm comm, Call call) {
  if (comm.rank() != call.root) {
    co_await comm.wait(comm.recv(call.root, call.out));
    co_return;
  }
  for (Rank other = 0; other < comm.size(); ++other)
    if (other != call.root) comm.send(other, call.out);
}

TUTTI_ALGORITHM(bcast, "star", bcast_star).rounds("p-1").messages("p-1").bytes("(p-1)*n").cite("An example");
TUTTI_PLUGIN
