#include "algos/patterns/hier.hpp"

namespace tutti {

Task allgather_hier(Comm comm, Call call) {
  if (is_none(call.parameter("node")) || !comm.is_equal(Level::node) || call.blocks.firsts) {
    co_await run_choice(comm, "global", call, call);
    co_return;
  }
  const TwoLevels levels(comm, 0);
  const int here = levels.node.size();
  const Count each = call.in.elements();
  const View of_node = comm.scratch(levels.leads ? here * each : 0);
  co_await run_choice(levels.node, "node", call, gather_part(call, call.in, of_node, here, levels.leads, 0));
  if (levels.leads) {
    const bool in_order = comm.is_consecutive(Level::node);
    const View all = in_order ? call.out : comm.scratch(comm.size() * each);
    co_await run_choice(levels.across, "global", call, allgather_part(call, of_node, all, levels.across.size()));
    const NodeOrder order(comm, levels);
    for (Rank r = 0; !in_order && r < comm.size(); ++r)
      co_await comm.wait(comm.copy(call.block(r), all.slice(order.place_of(r) * each, each)));
  }
  co_await run_choice(levels.node, "down", call, bcast_part(call, call.out, 0));
}

namespace {

PartCounts counts(const Facts& facts) {
  const Spread spread(facts);
  const auto count = static_cast<Count>(facts["c"]), of_node = spread.ppn * count;
  if (!spread.equal || is_none(static_cast<std::int64_t>(facts["node"])))
    return count_choice(facts, "global", static_cast<int>(facts["p"]), count);
  return count_on_nodes(facts, "node", count) + count_choice(facts, "global", spread.nodes, of_node) +
         count_on_nodes(facts, "down", spread.nodes * of_node);
}

}  // namespace

TUTTI_ALGORITHM(allgather, "hier", allgather_hier)
    .by_node()
    .parameter("node", number_of_choice(Collective::gather, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "linear")})
    .parameter("global", number_of_choice(Collective::allgather, "ring"), kFirstChoice)
    .tried({number_of_choice(Collective::allgather, "bruck")})
    .parameter("down", number_of_choice(Collective::bcast, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::bcast, "linear")})
    .rounds_between(no_rounds, rounds_of<counts>, "those of node, global and down, at most")
    .messages(messages_of<counts>, "those of node and down on each node, and of global")
    .bytes(bytes_of<counts>, "those of node and down on each node, and of global with a node's blocks in one")
    .cite(
        "Karonis, de Supinski, Foster, et al.: Exploiting Hierarchy in Parallel Computer Networks, IPDPS 2000: gathers "
        "on nodes, allgather of their first ranks, broadcasts on nodes")
    .deviates("where nodes have not as many ranks, global runs on all of them");

}  // namespace tutti
