#include "algos/registry.hpp"

namespace tutti {

Task scatter_linear_nb(Comm comm, Call call) {
  if (comm.rank() != call.root) {
    co_await comm.wait(comm.recv(call.root, call.out));
    co_return;
  }
  const std::int64_t window = call.parameter("window");
  std::vector<Op> sends;
  for (Rank other = 0; other < comm.size(); ++other)
    if (other == call.root)
      co_await comm.wait(comm.copy(call.out, call.block(other)));
    else if (window > 1 && other % window == 0)  // a blocking send now and then lets the others progress
      co_await comm.blocking_send(other, call.block(other));
    else
      sends.push_back(comm.send(other, call.block(other)));
  co_await comm.wait(sends);
}

TUTTI_ALGORITHM(scatter, "linear_nb", scatter_linear_nb)
    .parameter("window", 0, 0)
    .rounds("p-1")
    .messages("p-1")
    .bytes("(p-1)*c*e")
    .cite("Open MPI, coll/base: non-blocking sends, every window-th one blocking (0, 1: none)");

}  // namespace tutti
