#include "algos/patterns/hier.hpp"

namespace tutti {

Task allreduce_hier(Comm comm, Call call) {
  const Comm node = comm.group(Level::node), leaders = comm.leaders(Level::node);
  co_await run_choice(node, "node", call, reduce_part(call, call.in, call.out, leaders.is_member(), 0));
  if (leaders.is_member()) co_await run_choice(leaders, "global", call, allreduce_part(call, call.out, call.out));
  co_await run_choice(node, "down", call, bcast_part(call, call.out, 0));
}

namespace {

PartCounts counts(const Facts& facts) {
  const auto count = static_cast<Count>(facts["c"]);
  const auto nodes = static_cast<int>(node_sizes(facts).size());
  return count_on_nodes(facts, "node", count) + count_choice(facts, "global", nodes, count) +
         count_on_nodes(facts, "down", count);
}

}  // namespace

TUTTI_ALGORITHM(allreduce, "hier", allreduce_hier)
    .by_node()
    .commutative()
    .parameter("node", number_of_choice(Collective::reduce, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::reduce, "flat")})
    .parameter("global", number_of_choice(Collective::allreduce, "recursive_doubling"), kFirstChoice)
    .tried({number_of_choice(Collective::allreduce, "ring"), number_of_choice(Collective::allreduce, "rabenseifner")})
    .parameter("down", number_of_choice(Collective::bcast, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::bcast, "linear")})
    .rounds_between(no_rounds, rounds_of<counts>, "those of node, global and down, at most")
    .messages(messages_of<counts>, "those of node and down on each node, and of global")
    .bytes(bytes_of<counts>, "those of node and down on each node, and of global")
    .cite(
        "Karonis, de Supinski, Foster, et al.: Exploiting Hierarchy in Parallel Computer Networks, IPDPS 2000: reduces "
        "on nodes, allreduce of their first ranks, broadcasts on nodes");

}  // namespace tutti
