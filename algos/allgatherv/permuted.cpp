#include "algos/patterns/permuted.hpp"

namespace tutti {

Task allgatherv_permuted(Comm comm, Call call) {
  const Comm other = permuted(comm, call);
  const std::vector<Count> firsts = firsts_in_order(other, call.blocks);
  const Call part = part_in_order(call, call.in, comm.scratch(firsts.back()), 0, firsts);
  co_await run_choice(other, "of", call, part);
  for (Rank i = 0; i < comm.size(); ++i) comm.copy(call.block(other.world_rank(i)), part.block(i));
}

TUTTI_ALGORITHM(allgatherv, "permuted", allgatherv_permuted)
    .by_node()
    .parameter("order", order_names())
    .or_list_of_ranks()
    .parameter("of", number_of_choice(Collective::allgatherv, "ring"), kFirstChoice)
    .tried({number_of_choice(Collective::allgatherv, "bruck"), number_of_choice(Collective::allgatherv, "sparbit")})
    .rounds_between(no_rounds, rounds_of<count_permuted_any_blocks>, "those of `of`, at most")
    .messages(messages_of<count_permuted_any_blocks>, "those of `of`")
    .bytes(bytes_of<count_permuted_any_blocks>, "those of `of`")
    .cite(kOrdersSource)
    .deviates(
        "any algorithm that does not ask for groups, in three orders or a given one (order=2-0-1); blocks are copied "
        "to their places at the end");

}  // namespace tutti
