#include "algos/patterns/hier.hpp"

namespace tutti {

Task reduce_hier(Comm comm, Call call) {
  const std::vector<Stage> all = stages(comm, call);
  const bool is_root = comm.rank() == call.root;
  const bool holds = std::any_of(all.begin(), all.end(), [&](const Stage& stage) {
    return comm.rank() == stage.whole_root || comm.rank() == stage.stand_in;
  });
  const View sum = is_root ? call.out : comm.scratch(holds ? call.in.elements() : 0);
  for (std::size_t i = all.size(); i-- > 0;) {
    const Stage& stage = all[i];
    const View own = i + 1 == all.size() ? call.in : sum;
    if (stage.takes_part)
      co_await run_choice(stage, call, reduce_part(call, own, sum, stage.comm.rank() == stage.root, stage.root));
    if (stage.stand_in == stage.whole_root) continue;
    if (comm.rank() == stage.stand_in) co_await comm.blocking_send(stage.whole_root, sum);
    if (comm.rank() == stage.whole_root) co_await comm.wait(comm.recv(stage.stand_in, sum));
  }
}

TUTTI_ALGORITHM(reduce, "hier", reduce_hier)
    .by_node()
    .commutative()
    .parameter("cache", number_of_none(Collective::reduce), kFirstChoice)
    .tried({number_of_choice(Collective::reduce, "linear")})
    .parameter("numa", number_of_none(Collective::reduce), kFirstChoice)
    .tried({number_of_choice(Collective::reduce, "binomial"), number_of_choice(Collective::reduce, "linear")})
    .parameter("socket", number_of_none(Collective::reduce), kFirstChoice)
    .tried({number_of_choice(Collective::reduce, "binomial")})
    .parameter("node", number_of_choice(Collective::reduce, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::reduce, "linear")})
    .parameter("leaf", number_of_none(Collective::reduce), kFirstChoice)
    .tried({number_of_choice(Collective::reduce, "binomial")})
    .parameter("group", number_of_none(Collective::reduce), kFirstChoice)
    .tried({number_of_choice(Collective::reduce, "binomial")})
    .parameter("global", number_of_choice(Collective::reduce, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::reduce, "rabenseifner")})
    .rounds_between(no_rounds, rounds_of<count_rooted_stages>, "those of all levels, at most")
    .messages(messages_of<count_rooted_stages>, "those of each level on each of its parts, and of global")
    .bytes(bytes_of<count_rooted_stages>, "those of each level on each of its parts, and of global")
    .cite("Karonis, de Supinski, Foster, et al.: Exploiting Hierarchy in Parallel Computer Networks, IPDPS 2000")
    .deviates(
        "levels of any machine; where parts have not as many ranks and the root is not the first of its part, that one "
        "sends the sum to it, which is one more message");

}  // namespace tutti
