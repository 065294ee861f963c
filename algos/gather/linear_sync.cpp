#include <algorithm>

#include "algos/registry.hpp"

namespace tutti {

Task gather_linear_sync(Comm comm, Call call) {
  const Count each = call.in.elements(), first = std::min(each, call.segment_elements(each)), rest = each - first;
  const Rank root = call.root;
  const View go;
  if (comm.rank() != root) {
    co_await comm.wait(comm.recv(root, go));
    co_await comm.blocking_send(root, call.in.slice(0, first));
    co_await comm.blocking_send(root, call.in.slice(first, rest));
    co_return;
  }
  std::vector<Op> rests;
  for (Rank other = 0; other < comm.size(); ++other) {
    if (other == root) continue;
    const Op front = comm.recv(other, call.block(other).slice(0, first));
    co_await comm.blocking_send(other, go);
    rests.push_back(comm.recv(other, call.block(other).slice(first, rest)));
    co_await comm.wait(front);
  }
  co_await comm.wait(comm.copy(call.block(root), call.in));
  co_await comm.wait(rests);
}

TUTTI_ALGORITHM(gather, "linear_sync", gather_linear_sync)
    .parameter("segment", 0, 0)
    .rounds("p == 1 ? 0 : 2*(p-1)+1")
    .messages("3*(p-1)")
    .bytes("(p-1)*c*e")
    .cite("Open MPI, coll/base: the root asks one rank after the other and waits for the first segment only");

}  // namespace tutti
