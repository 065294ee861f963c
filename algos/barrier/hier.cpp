#include "algos/patterns/hier.hpp"

namespace tutti {

Task barrier_hier(Comm comm, Call call) {
  const Comm node = comm.group(Level::node), leaders = comm.leaders(Level::node);
  co_await run_choice(node, "node", call, call);
  if (leaders.is_member()) co_await run_choice(leaders, "global", call, call);
  co_await run_choice(node, "down", call, bcast_part(call, call.out, 0));
}

namespace {

PartCounts counts(const Facts& facts) {
  const auto nodes = static_cast<int>(node_sizes(facts).size());
  return count_on_nodes(facts, "node") + count_choice(facts, "global", nodes) + count_on_nodes(facts, "down");
}

}  // namespace

TUTTI_ALGORITHM(barrier, "hier", barrier_hier)
    .by_node()
    .parameter("node", number_of_choice(Collective::barrier, "bruck"), kFirstChoice)
    .tried({number_of_choice(Collective::barrier, "linear"), number_of_choice(Collective::barrier, "flat")})
    .parameter("global", number_of_choice(Collective::barrier, "bruck"), kFirstChoice)
    .tried({number_of_choice(Collective::barrier, "recursive_doubling"),
            number_of_choice(Collective::barrier, "k_dissemination:radix=4")})
    .parameter("down", number_of_choice(Collective::bcast, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::bcast, "linear")})
    .rounds_between(no_rounds, rounds_of<counts>, "those of node, global and down, at most")
    .messages(messages_of<counts>, "those of node and down on each node, and of global")
    .bytes("0")
    .cite("MPICH, src/mpi/coll/barrier/barrier_intra_smp.c: nodes, their first ranks, an empty broadcast on nodes");

}  // namespace tutti
