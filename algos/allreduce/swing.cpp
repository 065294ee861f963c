#include "algos/patterns/swing.hpp"

#include <vector>

#include "algos/registry.hpp"

namespace tutti {

Task allreduce_swing(Comm comm, Call call) {
  const auto dimensions = static_cast<int>(call.parameter("dimensions"));
  const int parts = call.parameter("both_ways") == 1 ? 2 * dimensions : 1;
  const View inbox = comm.scratch(comm.size() > 1 ? call.out.elements() : 0);
  co_await comm.wait(comm.copy(call.out, call.in));

  const auto meets = swing_exchanges(comm.size(), comm.rank(), dimensions, parts, call.out, inbox);  // by part and step
  std::vector<Op> ops;
  const std::size_t steps = meets.front().size();
  for (std::size_t i = 0; i < 2 * steps; ++i) {  // reduce-scatter, then allgather: the steps backwards
    const bool reduces = i < steps;
    const std::size_t at = reduces ? i : 2 * steps - 1 - i;
    ops.clear();
    for (std::size_t part = 0; part < meets.size(); ++part) {
      const SwingExchange& half = meets[part][at];
      ops.push_back(comm.recv(half.peer, reduces ? half.inbox : half.given, static_cast<int>(part)));
      ops.push_back(comm.send(half.peer, reduces ? half.given : half.kept, static_cast<int>(part)));
    }
    co_await comm.wait(ops);
    ops.clear();
    for (std::size_t part = 0; reduces && part < meets.size(); ++part)
      ops.push_back(comm.combine(meets[part][at].kept, meets[part][at].inbox, meets[part][at].kept));
    co_await comm.wait(ops);
  }
}

TUTTI_ALGORITHM(allreduce, "swing", allreduce_swing)
    .parameter("dimensions", 1, 1, 3)
    .parameter("both_ways", 0, 0, 1)
    .ports("both_ways == 1 ? 2*dimensions : 1")
    .commutative()
    .fallback("!pow2(p)", "swing_packed")
    .rounds("2*log2(p)")
    .messages("2*p*log2(p)*(both_ways == 1 ? 2*dimensions : 1)")
    .bytes("2*(p-1)*n")
    .cite("De Sensi et al.: Swing: Short-cutting Rings for Higher Bandwidth Allreduce, NSDI 2024 (arXiv 2401.09356)")
    .deviates(
        "a torus whose dimensions are as equal as they can be; where ranks are no power of two swing_packed runs");

}  // namespace tutti
