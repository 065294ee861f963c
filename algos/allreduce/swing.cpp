#include "algos/patterns/swing.hpp"

#include <vector>

#include "algos/registry.hpp"

namespace tutti {

Task allreduce_swing(Comm comm, Call call) {
  struct Half {
    View kept, given, inbox;
  };
  const auto dimensions = static_cast<int>(call.parameter("dimensions"));
  const int parts = call.parameter("both_ways") == 1 ? 2 * dimensions : 1;
  const Blocks cut = Blocks::split(call.out.elements(), parts);
  const View inbox = comm.scratch(comm.size() > 1 ? call.out.elements() : 0);
  co_await comm.wait(comm.copy(call.out, call.in));

  std::vector<std::vector<SwingStep>> meets;  // by part
  std::vector<std::vector<Half>> halves;      // by part and step
  for (int part = 0; part < parts; ++part) {
    meets.push_back(swing_steps(comm.size(), comm.rank(), dimensions, {part % dimensions, part >= dimensions}));
    View window = cut.of(call.out, part);
    halves.emplace_back();
    for (const SwingStep& step : meets.back()) {
      const Blocks two = Blocks::split(window.elements(), 2);
      const View kept = two.of(window, step.keeps_upper);
      halves.back().push_back({kept, two.of(window, !step.keeps_upper), inbox.slice(cut.first(part), kept.elements())});
      window = kept;
    }
  }
  std::vector<Op> ops;
  const std::size_t steps = meets.front().size();
  for (std::size_t i = 0; i < 2 * steps; ++i) {  // reduce-scatter, then allgather: the steps backwards
    const bool reduces = i < steps;
    const std::size_t at = reduces ? i : 2 * steps - 1 - i;
    ops.clear();
    for (std::size_t part = 0; part < meets.size(); ++part) {
      const Half& half = halves[part][at];
      const Rank peer = meets[part][at].peer;
      ops.push_back(comm.recv(peer, reduces ? half.inbox : half.given, static_cast<int>(part)));
      ops.push_back(comm.send(peer, reduces ? half.given : half.kept, static_cast<int>(part)));
    }
    co_await comm.wait(ops);
    ops.clear();
    for (std::size_t part = 0; reduces && part < meets.size(); ++part)
      ops.push_back(comm.combine(halves[part][at].kept, halves[part][at].inbox, halves[part][at].kept));
    co_await comm.wait(ops);
  }
}

TUTTI_ALGORITHM(allreduce, "swing", allreduce_swing)
    .parameter("dimensions", 1, 1, 3)
    .parameter("both_ways", 0, 0, 1)
    .ports("both_ways == 1 ? 2*dimensions : 1")
    .commutative()
    .fallback("!pow2(p)", "circulant")
    .rounds("2*log2(p)")
    .messages("2*p*log2(p)*(both_ways == 1 ? 2*dimensions : 1)")
    .bytes("2*(p-1)*n")
    .cite("De Sensi et al.: Swing: Short-cutting Rings for Higher Bandwidth Allreduce, NSDI 2024 (arXiv 2401.09356)")
    .deviates("powers of two only, on a torus whose dimensions are as equal as they can be");

}  // namespace tutti
