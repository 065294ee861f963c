#include "algos/patterns/hier.hpp"

namespace tutti {

Task allgather_hier(Comm comm, Call call) {
  const std::vector<Stage> all = stages(comm, call, Parts::equal);
  if (all.size() == 1 || call.blocks.firsts) {
    co_await run_choice(comm, "global", call, call);
    co_return;
  }
  View own = call.in;
  for (std::size_t i = all.size() - 1; all[i].takes_part; --i) {  // up, so that who leads has a part's blocks in order
    const Stage& stage = all[i];
    const bool is_last = i == 0, leads = !is_last && stage.comm.rank() == 0;
    const Count elements = is_last || leads ? stage.comm.size() * own.elements() : 0;
    const View sorted = is_last ? call.out : comm.scratch(elements);
    const View come = stage.is_in_order() ? sorted : comm.scratch(elements);
    co_await run_choice(stage, call,
                        is_last ? allgather_part(call, own, come, stage.comm.size())
                                : gather_part(call, own, come, stage.comm.size(), leads, 0));
    if ((is_last || leads) && come != sorted) co_await sort_blocks(comm, stage, sorted, come);
    if (is_last) break;
    own = sorted;
  }
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].takes_part) co_await run_choice(all[i].comm, "down", call, bcast_part(call, call.out, 0));
}

TUTTI_ALGORITHM(allgather, "hier", allgather_hier)
    .by_node()
    .parameter("cache", number_of_none(Collective::gather), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "linear")})
    .parameter("numa", number_of_none(Collective::gather), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "binomial")})
    .parameter("socket", number_of_none(Collective::gather), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "binomial")})
    .parameter("node", number_of_choice(Collective::gather, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "linear")})
    .parameter("leaf", number_of_none(Collective::gather), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "binomial")})
    .parameter("group", number_of_none(Collective::gather), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "binomial")})
    .parameter("global", number_of_choice(Collective::allgather, "ring"), kFirstChoice)
    .tried({number_of_choice(Collective::allgather, "bruck")})
    .parameter("down", number_of_choice(Collective::bcast, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::bcast, "linear")})
    .rounds_between(no_rounds, rounds_of<count_blocks_up_and_down>, "those of all levels and of down, at most")
    .messages(messages_of<count_blocks_up_and_down>, "those of each level and of down on each of its parts, and global")
    .bytes(bytes_of<count_blocks_up_and_down>,
           "those of each level with all blocks of a part in one, of down, and global")
    .cite(
        "Karonis, de Supinski, Foster, et al.: Exploiting Hierarchy in Parallel Computer Networks, IPDPS 2000: gathers "
        "on nodes, allgather of their first ranks, broadcasts on nodes")
    .deviates(
        "levels of any machine; what would come apart into parts of different sizes is not divided any more, so that "
        "its own level's algorithm runs on all of it");

}  // namespace tutti
