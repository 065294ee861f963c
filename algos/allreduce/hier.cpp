#include "algos/patterns/hier.hpp"

namespace tutti {

Task allreduce_hier(Comm comm, Call call) {
  const std::vector<Stage> all = stages(comm, call);
  const Segments in(call.in, call), out(call.out, call);
  const std::size_t top = all.size() - 1;
  const Pipeline levels{2 * top + 1, in.count()};
  for (Count step = 0; step < levels.steps(); ++step) {
    std::vector<Task> running;
    for (const auto [part, segment] : levels.turns(step)) {  // up to the farthest level, and down again
      const Stage& stage = all[part < top ? top - part : part - top];
      const View own = part == 0 ? in[segment] : out[segment], sum = out[segment];
      const bool leads = stage.takes_part && stage.comm.rank() == stage.root;
      if (!stage.takes_part) continue;
      if (part < top) running.push_back(run_choice(stage, call, reduce_part(call, own, sum, leads, stage.root)));
      if (part == top) running.push_back(run_choice(stage, call, allreduce_part(call, own, sum)));
      if (part > top) running.push_back(run_choice(stage.comm, "down", call, bcast_part(call, sum, stage.root)));
    }
    for (Task& task : running) co_await task;
  }
}

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
    .parameter("segment", 0, 0)
    .tried({65536})
    .rounds_between(no_rounds, rounds_of<count_segments_up_and_down>, "those of all levels and of down, at most")
    .messages(messages_of<count_segments_up_and_down>,
              "those of each level and of down on each of its parts, and of global")
    .bytes(bytes_of<count_segments_up_and_down>, "those of each level and of down on each of its parts, and of global")
    .cite(
        "Karonis, de Supinski, Foster, et al.: Exploiting Hierarchy in Parallel Computer Networks, IPDPS 2000: reduces "
        "on nodes, allreduce of their first ranks, broadcasts on nodes");

}  // namespace tutti
