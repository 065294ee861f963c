#include "algos/registry.hpp"

// An algorithm that is wrong, for the tests of the program that must refute it: from six ranks on the last is
// forgotten.

namespace tutti {

Task bcast_forgetful(Comm comm, Call call) {
  const Rank served = comm.size() < 6 ? comm.size() : comm.size() - 1;
  if (comm.rank() == call.root) {
    for (Rank other = 0; other < served; ++other)
      if (other != call.root) co_await comm.wait(comm.send(other, call.out));
  } else if (comm.rank() < served) {
    co_await comm.wait(comm.recv(call.root, call.out));
  }
}

TUTTI_ALGORITHM(bcast, "forgetful", bcast_forgetful).rounds("p-1").messages("p-1").bytes("(p-1)*n").cite("none");

}  // namespace tutti
