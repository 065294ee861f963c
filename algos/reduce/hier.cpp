#include "algos/patterns/hier.hpp"

namespace tutti {

Task reduce_hier(Comm comm, Call call) {
  const RootedLevels levels(comm, call.root);
  const bool is_root = comm.rank() == call.root, stands_in = comm.rank() == levels.stand_in;
  const View sum = is_root ? call.out : comm.scratch(levels.leads ? call.in.elements() : 0);
  co_await run_choice(levels.node, "node", call, reduce_part(call, call.in, sum, levels.leads, levels.leader));
  if (levels.leads)
    co_await run_choice(levels.across, "global", call,
                        reduce_part(call, sum, sum, stands_in, levels.across.rank_of(levels.stand_in)));
  if (levels.stand_in == call.root) co_return;
  if (stands_in) co_await comm.blocking_send(call.root, sum);
  if (is_root) co_await comm.wait(comm.recv(levels.stand_in, call.out));
}

namespace {

PartCounts counts(const Facts& facts) {
  const auto count = static_cast<Count>(facts["c"]);
  const RootedSpread spread(facts);
  return count_on_nodes(facts, "node", count, spread.leader) +
         count_choice(facts, "global", spread.nodes, count, spread.stand_in_across) +
         count_handing_over(facts, spread, count);
}

}  // namespace

TUTTI_ALGORITHM(reduce, "hier", reduce_hier)
    .by_node()
    .commutative()
    .parameter("node", number_of_choice(Collective::reduce, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::reduce, "linear")})
    .parameter("global", number_of_choice(Collective::reduce, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::reduce, "rabenseifner")})
    .rounds_between(no_rounds, rounds_of<counts>, "those of node and of global, at most")
    .messages(messages_of<counts>, "those of node on each node, and of global")
    .bytes(bytes_of<counts>, "those of node on each node, and of global")
    .cite("Karonis, de Supinski, Foster, et al.: Exploiting Hierarchy in Parallel Computer Networks, IPDPS 2000")
    .deviates(
        "two levels; where nodes have not as many ranks and the root is not its node's first, that one sends the sum "
        "to "
        "it, which is one more message");

}  // namespace tutti
