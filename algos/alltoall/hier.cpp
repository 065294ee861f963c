#include "algos/patterns/block_copies.hpp"
#include "algos/patterns/hier_exchange.hpp"
#include "algos/patterns/hier_lanes.hpp"

namespace tutti {

Task alltoall_hier(Comm comm, Call call) {
  const std::vector<Stage> all = stages(comm, call);
  if (all.size() == 1) co_return co_await run_choice(comm, "global", call, call);
  if (!are_even_everywhere(comm, call)) co_return co_await alltoallv_by_levels(comm, call);
  View held = call.in, free = comm.scratch(call.in.elements()), other = comm.scratch(call.in.elements());
  for (const Stage& stage : all) {
    if (stage.by && !stage.is_in_order()) {
      const std::vector<Op> sorted = part_by_part(comm, stage, free, held);
      co_await comm.wait(sorted);
      if (held == call.in) held = other;
      std::swap(held, free);
    }
    co_await run_choice(stage, call, alltoall_part(call, held, free, stage.comm.size()));
    if (held == call.in) held = other;
    std::swap(held, free);
    if (!stage.by) break;
    const std::vector<Op> turned = rank_by_rank(comm, stage, free, held);
    co_await comm.wait(turned);
    std::swap(held, free);
  }
  const std::vector<Op> placed = copy_out_of_order(comm, ranks_behind(all), call.blocks, call.out, held);
  co_await comm.wait(placed);
}

TUTTI_ALGORITHM(alltoall, "hier", alltoall_hier)
    .by_node()
    .parameter("cache", number_of_none(Collective::alltoall), kFirstChoice)
    .tried({number_of_choice(Collective::alltoall, "pairwise")})
    .parameter("numa", number_of_none(Collective::alltoall), kFirstChoice)
    .tried({number_of_choice(Collective::alltoall, "pairwise")})
    .parameter("socket", number_of_none(Collective::alltoall), kFirstChoice)
    .tried({number_of_choice(Collective::alltoall, "pairwise")})
    .parameter("node", number_of_choice(Collective::alltoall, "pairwise"), kFirstChoice)
    .tried({number_of_choice(Collective::alltoall, "linear")})
    .parameter("leaf", number_of_none(Collective::alltoall), kFirstChoice)
    .tried({number_of_choice(Collective::alltoall, "pairwise")})
    .parameter("group", number_of_none(Collective::alltoall), kFirstChoice)
    .tried({number_of_choice(Collective::alltoall, "pairwise")})
    .parameter("global", number_of_choice(Collective::alltoall, "pairwise"), kFirstChoice)
    .tried({number_of_choice(Collective::alltoall, "bruck"), number_of_choice(Collective::alltoall, "linear")})
    .rounds_between(no_rounds, rounds_of<count_alltoall_by_levels>, "those of all levels, at most")
    .messages(messages_of<count_alltoall_by_levels>, "those of each level, on all lanes of each of its parts")
    .bytes(bytes_of<count_alltoall_by_levels>, "those of each level, on all lanes of each of its parts")
    .cite(kLanesByLevels)
    .deviates("levels of any machine; uneven parts: as alltoallv/hier, inside by the alltoallv of that name or linear");

}  // namespace tutti
