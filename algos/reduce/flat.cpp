#include "algos/registry.hpp"

namespace tutti {

Task reduce_flat(Comm comm, Call call) {
  if (comm.rank() != call.root) {
    co_await comm.blocking_send(call.root, call.in);
    co_return;
  }
  View so_far = call.in;
  for (Rank other = call.root + 1; other < comm.size(); ++other) {
    co_await comm.wait(comm.recv_combine(other, call.out, so_far, Incoming::right));
    so_far = call.out;
  }
  for (Rank other = call.root - 1; other >= 0; --other) {
    co_await comm.wait(comm.recv_combine(other, call.out, so_far, Incoming::left));
    so_far = call.out;
  }
  if (comm.size() == 1) co_await comm.wait(comm.copy(call.out, call.in));
}

TUTTI_ALGORITHM(reduce, "flat", reduce_flat)
    .rounds("p-1")
    .messages("p-1")
    .bytes("(p-1)*n")
    .cite("as linear, but the root combines what comes on arrival, from its neighbours outwards");

}  // namespace tutti
