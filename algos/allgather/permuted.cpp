#include "algos/patterns/permuted.hpp"

#include <vector>

namespace tutti {

Task allgather_permuted(Comm comm, Call call) {
  const Comm other = permuted(comm, call);
  const int size = comm.size();
  std::vector<Count> firsts{0};
  for (int i = 0; i < size; ++i) firsts.push_back(firsts.back() + call.block(other.world_rank(i)).elements());
  const View all = comm.scratch(firsts.back());
  Call part = allgather_part(call, call.in, all, size);
  if (call.blocks.firsts) part.blocks = {size, 0, 0, firsts.data()};
  co_await run_choice(other, "of", call, part);
  copy_out_of_order(comm, order_of(other), call.blocks, call.out, all);
}

TUTTI_ALGORITHM(allgather, "permuted", allgather_permuted)
    .by_node()
    .parameter("order", order_names())
    .or_list_of_ranks()
    .parameter("of", number_of_choice(Collective::allgather, "ring"), kFirstChoice)
    .tried({number_of_choice(Collective::allgather, "bruck"), number_of_choice(Collective::allgather, "sparbit")})
    .rounds_between(no_rounds, rounds_of<count_permuted>, "those of `of`, at most")
    .messages(messages_of<count_permuted>, "those of `of`")
    .bytes(bytes_of<count_permuted>, "those of `of`")
    .cite(kOrdersSource)
    .deviates(
        "any algorithm that does not ask for groups, in three orders or a given one (order=2-0-1); blocks are copied "
        "to their places at the end, as there");

}  // namespace tutti
