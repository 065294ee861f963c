#include "algos/patterns/permuted.hpp"

namespace tutti {

Task scatterv_permuted(Comm comm, Call call) {
  const Comm other = permuted(comm, call);
  const bool is_root = comm.rank() == call.root;
  const std::vector<Count> firsts = firsts_in_order(other, call.blocks);
  const View all = comm.scratch(is_root ? firsts.back() : 0);
  const Call part = part_in_order(call, all, call.out, other.rank_of(call.root), firsts);
  std::vector<Op> copies;
  for (Rank i = 0; is_root && i < comm.size(); ++i)
    copies.push_back(comm.copy(part.block(i), call.block(other.world_rank(i))));
  co_await comm.wait(copies);
  co_await run_choice(other, "of", call, part);
}

TUTTI_ALGORITHM(scatterv, "permuted", scatterv_permuted)
    .by_node()
    .parameter("order", order_names())
    .or_list_of_ranks()
    .parameter("of", number_of_choice(Collective::scatterv, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::scatterv, "linear")})
    .rounds_between(no_rounds, rounds_of<count_permuted_any_blocks>, "those of `of`, at most")
    .messages(messages_of<count_permuted_any_blocks>, "those of `of`")
    .bytes(bytes_of<count_permuted_any_blocks>, "those of `of`")
    .cite(kOrdersSource)
    .deviates(
        "any algorithm that does not ask for groups, in three orders or a given one (order=2-0-1); the root copies "
        "blocks into that order first");

}  // namespace tutti
