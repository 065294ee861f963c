#include "algos/patterns/hier.hpp"

namespace tutti {

Task bcast_hier(Comm comm, Call call) {
  const RootedLevels levels(comm, call.root);
  if (comm.rank() == call.root && levels.stand_in != call.root)
    co_await comm.blocking_send(levels.stand_in, call.out);
  else if (comm.rank() == levels.stand_in && levels.stand_in != call.root)
    co_await comm.wait(comm.recv(call.root, call.out));
  if (levels.leads)
    co_await run_choice(levels.across, "global", call,
                        bcast_part(call, call.out, levels.across.rank_of(levels.stand_in)));
  co_await run_choice(levels.node, "node", call, bcast_part(call, call.out, levels.leader));
}

namespace {

PartCounts counts(const Facts& facts) {
  const auto count = static_cast<Count>(facts["c"]);
  const RootedSpread spread(facts);
  return count_handing_over(facts, spread, count) +
         count_choice(facts, "global", spread.nodes, count, spread.stand_in_across) +
         count_on_nodes(facts, "node", count, spread.leader);
}

}  // namespace

TUTTI_ALGORITHM(bcast, "hier", bcast_hier)
    .by_node()
    .parameter("node", number_of_choice(Collective::bcast, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::bcast, "linear")})
    .parameter("global", number_of_choice(Collective::bcast, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::bcast, "scatter_ring"), number_of_choice(Collective::bcast, "chain")})
    .rounds_between(no_rounds, rounds_of<counts>, "those of global and of node, at most")
    .messages(messages_of<counts>, "those of global, and of node on each node")
    .bytes(bytes_of<counts>, "those of global, and of node on each node")
    .cite("Karonis, de Supinski, Foster, et al.: Exploiting Hierarchy in Parallel Computer Networks, IPDPS 2000")
    .deviates(
        "two levels; where nodes have not as many ranks and the root is not its node's first, it sends to that, which "
        "is one more message");

}  // namespace tutti
