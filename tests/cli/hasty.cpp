#include "algos/registry.hpp"

// An algorithm that is wrong at one value of its parameter, which is not among those that are tried: whoever asks for
// it must hear that it is refuted. At a radix of 6 the last rank is forgotten, from six ranks on.

namespace tutti {

Task bcast_hasty(Comm comm, Call call) {
  const Rank served = comm.size() < 6 || call.parameter("radix") != 6 ? comm.size() : comm.size() - 1;
  if (comm.rank() == call.root) {
    for (Rank other = 0; other < served; ++other)
      if (other != call.root) co_await comm.wait(comm.send(other, call.out));
  } else if (comm.rank() < served) {
    co_await comm.wait(comm.recv(call.root, call.out));
  }
}

TUTTI_ALGORITHM(bcast, "hasty", bcast_hasty)
    .parameter("radix", 2, 2)
    .rounds("p-1")
    .messages("p-1")
    .bytes("(p-1)*n")
    .cite("none");

}  // namespace tutti
