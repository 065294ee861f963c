#include "algos/patterns/hier.hpp"

namespace tutti {

Task allreduce_hier(Comm comm, Call call) {
  const std::vector<Stage> all = stages(comm, call);
  for (std::size_t i = all.size(); i-- > 1;)
    if (all[i].takes_part)
      co_await run_choice(all[i], call,
                          reduce_part(call, i + 1 == all.size() ? call.in : call.out, call.out,
                                      all[i].comm.rank() == all[i].root, all[i].root));
  if (all[0].takes_part)
    co_await run_choice(all[0], call, allreduce_part(call, all.size() == 1 ? call.in : call.out, call.out));
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].takes_part) co_await run_choice(all[i].comm, "down", call, bcast_part(call, call.out, all[i].root));
}

namespace {

PartCounts hier_counts(const Facts& facts) { return count_stages_up_and_down(facts, static_cast<Count>(facts["c"])); }

}  // namespace

TUTTI_ALGORITHM(allreduce, "hier", allreduce_hier)
    .by_node()
    .commutative()
    .parameter("cache", number_of_none(Collective::reduce), kFirstChoice)
    .tried({number_of_choice(Collective::reduce, "linear")})
    .parameter("numa", number_of_none(Collective::reduce), kFirstChoice)
    .tried({number_of_choice(Collective::reduce, "binomial"), number_of_choice(Collective::reduce, "flat")})
    .parameter("socket", number_of_none(Collective::reduce), kFirstChoice)
    .tried({number_of_choice(Collective::reduce, "binomial")})
    .parameter("node", number_of_choice(Collective::reduce, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::reduce, "flat")})
    .parameter("leaf", number_of_none(Collective::reduce), kFirstChoice)
    .tried({number_of_choice(Collective::reduce, "binomial")})
    .parameter("group", number_of_none(Collective::reduce), kFirstChoice)
    .tried({number_of_choice(Collective::reduce, "binomial")})
    .parameter("global", number_of_choice(Collective::allreduce, "recursive_doubling"), kFirstChoice)
    .tried({number_of_choice(Collective::allreduce, "ring"), number_of_choice(Collective::allreduce, "rabenseifner")})
    .parameter("down", number_of_choice(Collective::bcast, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::bcast, "linear")})
    .rounds_between(no_rounds, rounds_of<hier_counts>, "those of all levels and of down, at most")
    .messages(messages_of<hier_counts>, "those of each level and of down on each of its parts, and of global")
    .bytes(bytes_of<hier_counts>, "those of each level and of down on each of its parts, and of global")
    .cite(
        "Karonis, de Supinski, Foster, et al.: Exploiting Hierarchy in Parallel Computer Networks, IPDPS 2000: reduces "
        "on nodes, allreduce of their first ranks, broadcasts on nodes");

}  // namespace tutti
