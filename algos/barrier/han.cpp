#include "algos/patterns/two_levels.hpp"

namespace tutti {

Task barrier_han(Comm comm, Call call) {
  const Comm node = comm.group(Level::node), leaders = comm.leaders(Level::node);
  co_await run_part(node, Collective::barrier, call.parameter("low"), call);
  if (leaders.is_member()) co_await run_part(leaders, Collective::barrier, call.parameter("up"), call);
  co_await run_part(node, Collective::barrier, call.parameter("low"), call);
}

namespace {

PartCounts low_counts(const Facts& facts) {
  return on_nodes(node_sizes(facts),
                  [&](int ranks) { return count_part(facts, Collective::barrier, "low", ranks, 0); });
}
PartCounts han_counts(const Facts& facts) {
  const auto nodes = static_cast<int>(node_sizes(facts).size());
  return low_counts(facts) + low_counts(facts) + count_part(facts, Collective::barrier, "up", nodes, 0);
}

}  // namespace

TUTTI_ALGORITHM(barrier, "han", barrier_han)
    .by_node()
    .parameter("low", 4, 1, 6)
    .tried({1, 6})
    .parameter("up", 4, 1, 6)
    .tried({3, 6})
    .rounds_between(rounds_of<low_counts>, rounds_of<han_counts>, "those of low, at most twice those and those of up")
    .messages(messages_of<han_counts>, "twice those of low on each node, and those of up")
    .bytes(bytes_of<han_counts>, "0")
    .cite("Open MPI 5.0, coll/han, mca_coll_han_barrier_intra_simple: nodes, their first ranks, nodes")
    .deviates("low and up are coll/tuned's numbers, which Open MPI chooses by the number of ranks");

}  // namespace tutti
