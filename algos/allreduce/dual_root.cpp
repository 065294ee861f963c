#include "algos/patterns/dual_root.hpp"

#include <vector>

#include "algos/patterns/segments.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_dual_root(Comm comm, Call call) {
  const DualRootPlace place = dual_root_place(comm.size(), comm.rank());
  const Segments sum(call.out, call);
  const View inbox = comm.scratch(comm.size() > 1 ? sum[0].elements() : 0);
  co_await comm.wait(comm.copy(call.out, call.in));
  std::vector<Op> ops;
  const Count n = sum.count();
  for (Count i = 0; i < n + place.depth + 1; ++i) {  // segment i goes up, earlier ones come down
    const Count from_above = i - place.depth, below = from_above - 1;
    for (const Rank child : place.children) {
      ops.clear();
      const View theirs = inbox.slice(0, i < n ? sum[i].elements() : 0);
      if (i < n) ops.push_back(comm.recv(child, theirs));
      if (below >= 0 && below < n) ops.push_back(comm.send(child, sum[below]));
      co_await comm.wait(ops);
      if (i < n) co_await comm.wait(comm.combine(sum[i], theirs, sum[i]));
    }
    ops.clear();
    if (place.parent >= 0) {
      if (i < n) ops.push_back(comm.send(place.parent, sum[i]));
      if (from_above >= 0 && from_above < n) ops.push_back(comm.recv(place.parent, sum[from_above]));
      co_await comm.wait(ops);
    } else if (place.dual >= 0 && i < n) {
      const View theirs = inbox.slice(0, sum[i].elements());
      co_await comm.exchange(place.dual, sum[i], place.dual, theirs);
      const bool is_lower = comm.rank() < place.dual;
      co_await comm.wait(comm.combine(sum[i], is_lower ? sum[i] : theirs, is_lower ? theirs : sum[i]));
    }
  }
}

TUTTI_ALGORITHM(allreduce, "dual_root", allreduce_dual_root)
    .parameter("segment", 16 << 10, 0)
    .rounds(dual_root_rounds, "about 3*segments + 6*log2(p): up to three exchanges for each segment in each rank")
    .messages("(p == 1 ? 0 : 2*(p-1)*segments)")
    .bytes("2*(p-1)*n")
    .cite("Traeff: A Doubly-pipelined, Dual-root Reduction-to-all Algorithm and Implementation, arXiv 2109.12626");

}  // namespace tutti
