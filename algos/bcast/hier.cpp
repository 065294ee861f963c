#include "algos/patterns/hier.hpp"

namespace tutti {

Task bcast_hier(Comm comm, Call call) {
  const std::vector<Stage> all = stages(comm, call);
  for (const Stage& stage : all) {
    if (comm.rank() == stage.whole_root && stage.stand_in != stage.whole_root)
      co_await comm.blocking_send(stage.stand_in, call.out);
    else if (comm.rank() == stage.stand_in && stage.stand_in != stage.whole_root)
      co_await comm.wait(comm.recv(stage.whole_root, call.out));
    if (stage.takes_part) co_await run_choice(stage, call, bcast_part(call, call.out, stage.root));
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
    .rounds_between(no_rounds, rounds_of<count_rooted_stages>, "those of all levels, at most")
    .messages(messages_of<count_rooted_stages>, "those of global, and of each level on each of its parts")
    .bytes(bytes_of<count_rooted_stages>, "those of global, and of each level on each of its parts")
    .cite("Karonis, de Supinski, Foster, et al.: Exploiting Hierarchy in Parallel Computer Networks, IPDPS 2000")
    .deviates(
        "levels of any machine; where parts have not as many ranks and the root is not the first of its part, it sends "
        "to that, which is one more message");

}  // namespace tutti
