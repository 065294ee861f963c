#include "algos/patterns/hier.hpp"

namespace tutti {

Task barrier_hier(Comm comm, Call call) {
  const std::vector<Stage> all = stages(comm, call);
  for (std::size_t i = all.size(); i-- > 0;)
    if (all[i].takes_part) co_await run_choice(all[i], call, call);
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].takes_part) co_await run_choice(all[i].comm, "down", call, bcast_part(call, call.out, all[i].root));
}

namespace {

PartCounts counts(const Facts& facts) { return count_stages_up_and_down(facts); }

}  // namespace

TUTTI_ALGORITHM(barrier, "hier", barrier_hier)
    .by_node()
    .parameter("cache", number_of_none(Collective::barrier), kFirstChoice)
    .tried({number_of_choice(Collective::barrier, "linear")})
    .parameter("numa", number_of_none(Collective::barrier), kFirstChoice)
    .tried({number_of_choice(Collective::barrier, "bruck"), number_of_choice(Collective::barrier, "linear")})
    .parameter("socket", number_of_none(Collective::barrier), kFirstChoice)
    .tried({number_of_choice(Collective::barrier, "bruck")})
    .parameter("node", number_of_choice(Collective::barrier, "bruck"), kFirstChoice)
    .tried({number_of_choice(Collective::barrier, "linear"), number_of_choice(Collective::barrier, "flat")})
    .parameter("leaf", number_of_none(Collective::barrier), kFirstChoice)
    .tried({number_of_choice(Collective::barrier, "bruck")})
    .parameter("group", number_of_none(Collective::barrier), kFirstChoice)
    .tried({number_of_choice(Collective::barrier, "bruck")})
    .parameter("global", number_of_choice(Collective::barrier, "bruck"), kFirstChoice)
    .tried({number_of_choice(Collective::barrier, "recursive_doubling"),
            number_of_choice(Collective::barrier, "k_dissemination:radix=4")})
    .parameter("down", number_of_choice(Collective::bcast, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::bcast, "linear")})
    .rounds_between(no_rounds, rounds_of<counts>, "those of all levels and of down, at most")
    .messages(messages_of<counts>, "those of each level and of down on each of its parts, and of global")
    .bytes("0")
    .cite("MPICH, src/mpi/coll/barrier/barrier_intra_smp.c: nodes, their first ranks, an empty broadcast on nodes")
    .deviates("levels of any machine");

}  // namespace tutti
