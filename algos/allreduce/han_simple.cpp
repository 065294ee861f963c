#include "algos/patterns/two_levels.hpp"

namespace tutti {

Task allreduce_han_simple(Comm comm, Call call) {
  if (call.in.empty()) co_return;
  const Comm node = comm.group(Level::node), leaders = comm.leaders(Level::node);
  co_await run_reduce(node, call, "reduce", call.in, call.out, leaders.is_member(), 0);
  if (leaders.is_member())
    co_await run_part(leaders, Collective::allreduce, call.parameter("up"), allreduce_part(call, call.out, call.out));
  co_await run_bcast(node, call, "bcast", call.out, 0);
}

namespace {

PartCounts low_counts(const Facts& facts) {
  const auto count = static_cast<Count>(facts["c"]);
  return on_nodes(node_sizes(facts), [&](int ranks) {
    return count_part(facts, Collective::reduce, "reduce", ranks, count) +
           count_part(facts, Collective::bcast, "bcast", ranks, count);
  });
}

PartCounts simple_counts(const Facts& facts) {
  const auto count = static_cast<Count>(facts["c"]);
  if (count == 0) return {};
  const auto nodes = static_cast<int>(node_sizes(facts).size());
  return low_counts(facts) + count_part(facts, Collective::allreduce, "up", nodes, count);
}
double least_rounds(const Facts& facts) {
  if (Spread(facts).equal) return simple_counts(facts).rounds;
  return facts["c"] == 0 ? 0 : low_counts(facts).rounds;  // who is ready first may have done its part before
}

}  // namespace

TUTTI_ALGORITHM(allreduce, "han_simple", allreduce_han_simple)
    .by_node()
    .commutative()
    .parameter("reduce", 5, 1, 7)
    .tried({1})
    .parameter("bcast", 6, 1, 8)
    .tried({1})
    .parameter("up", 3, 1, 6)
    .tried({4, 6})
    .rounds_between(least_rounds, rounds_of<simple_counts>, "those of all three; on nodes of several sizes no more")
    .messages(messages_of<simple_counts>, "those of reduce and bcast on each node, and of up")
    .bytes(bytes_of<simple_counts>, "those of reduce and bcast on each node, and of up")
    .cite("Open MPI 5.0, coll/han, mca_coll_han_allreduce_intra_simple: nodes, their first ranks, nodes")
    .deviates("reduce, bcast and up are coll/tuned's numbers, which Open MPI chooses by size");

}  // namespace tutti
