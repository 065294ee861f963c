#include "algos/patterns/hier.hpp"

namespace tutti {

Task reduce_hier(Comm comm, Call call) {
  const std::vector<Stage> all = stages(comm, call);
  const bool holds = std::any_of(all.begin(), all.end(), [&](const Stage& stage) {
    return comm.rank() == stage.whole_root || comm.rank() == stage.stand_in;
  });
  const View sum = comm.rank() == call.root ? call.out : comm.scratch(holds ? call.in.elements() : 0);
  const Segments segments(call.in, call);
  const Pipeline levels{all.size() + 1, segments.count()};
  for (Count step = 0; step < levels.steps(); ++step) {
    std::vector<Task> running;
    for (const auto [part, segment] : levels.turns(step)) {
      const View own = segments[segment];
      const View so_far = sum.empty() ? sum : sum.slice(segment * segments.each, own.elements());
      const Stage* const before = part > 0 ? &all[all.size() - part] : nullptr;  // which hands over to this one
      if (before && before->stand_in != before->whole_root) {
        if (comm.rank() == before->stand_in) co_await comm.blocking_send(before->whole_root, so_far);
        if (comm.rank() == before->whole_root) co_await comm.wait(comm.recv(before->stand_in, so_far));
      }
      if (part == all.size() || !all[all.size() - 1 - part].takes_part) continue;
      const Stage& stage = all[all.size() - 1 - part];
      const bool leads = stage.comm.rank() == stage.root;
      running.push_back(run_choice(stage, call, reduce_part(call, before ? so_far : own, so_far, leads, stage.root)));
    }
    for (Task& task : running) co_await task;
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
    .parameter("segment", 0, 0)
    .tried({65536})
    .rounds_between(no_rounds, rounds_of<count_rooted_stages>, "those of all levels, at most")
    .messages(messages_of<count_rooted_stages>, "those of each level on each of its parts, and of global")
    .bytes(bytes_of<count_rooted_stages>, "those of each level on each of its parts, and of global")
    .cite("Karonis, de Supinski, Foster, et al.: Exploiting Hierarchy in Parallel Computer Networks, IPDPS 2000")
    .deviates(
        "levels of any machine; where parts have not as many ranks and the root is not the first of its part, that one "
        "sends the sum to it, which is one more message");

}  // namespace tutti
