#include "algos/patterns/hier.hpp"

namespace tutti {

Task bcast_hier(Comm comm, Call call) {
  const std::vector<Stage> all = stages(comm, call);
  const Segments segments(call.out, call);
  const Pipeline levels{all.size(), segments.count()};
  for (Count step = 0; step < levels.steps(); ++step) {
    std::vector<Task> running;
    for (const auto [part, segment] : levels.turns(step)) {
      const Stage& stage = all[part];
      const View what = segments[segment];
      if (comm.rank() == stage.whole_root && stage.stand_in != stage.whole_root)
        co_await comm.blocking_send(stage.stand_in, what);
      else if (comm.rank() == stage.stand_in && stage.stand_in != stage.whole_root)
        co_await comm.wait(comm.recv(stage.whole_root, what));
      if (stage.takes_part) running.push_back(run_choice(stage, call, bcast_part(call, what, stage.root)));
    }
    for (Task& task : running) co_await task;
  }
}

TUTTI_ALGORITHM(bcast, "hier", bcast_hier)
    .by_node()
    .parameter("cache", number_of_none(Collective::bcast), kFirstChoice)
    .tried({number_of_choice(Collective::bcast, "linear")})
    .parameter("numa", number_of_none(Collective::bcast), kFirstChoice)
    .tried({number_of_choice(Collective::bcast, "binomial"), number_of_choice(Collective::bcast, "linear")})
    .parameter("socket", number_of_none(Collective::bcast), kFirstChoice)
    .tried({number_of_choice(Collective::bcast, "binomial")})
    .parameter("node", number_of_choice(Collective::bcast, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::bcast, "linear")})
    .parameter("leaf", number_of_none(Collective::bcast), kFirstChoice)
    .tried({number_of_choice(Collective::bcast, "binomial")})
    .parameter("group", number_of_none(Collective::bcast), kFirstChoice)
    .tried({number_of_choice(Collective::bcast, "binomial"), number_of_choice(Collective::bcast, "scatter_ring")})
    .parameter("global", number_of_choice(Collective::bcast, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::bcast, "scatter_ring"), number_of_choice(Collective::bcast, "chain")})
    .parameter("segment", 0, 0)
    .tried({16384, 65536})
    .rounds_between(no_rounds, rounds_of<count_rooted_stages>, "those of all levels, at most")
    .messages(messages_of<count_rooted_stages>, "those of global, and of each level on each of its parts")
    .bytes(bytes_of<count_rooted_stages>, "those of global, and of each level on each of its parts")
    .cite("Karonis, de Supinski, Foster, et al.: Exploiting Hierarchy in Parallel Computer Networks, IPDPS 2000")
    .deviates(
        "levels of any machine; where parts have not as many ranks and the root is not the first of its part, it sends "
        "to that, which is one more message");

}  // namespace tutti
