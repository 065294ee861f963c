#include "algos/patterns/permuted.hpp"

namespace tutti {

Task alltoall_permuted(Comm comm, Call call) {
  const Comm other = permuted(comm, call);
  const int size = comm.size();
  const Count each = call.blocks.count(0);
  const View sent = comm.scratch(size * each), received = comm.scratch(size * each);
  const std::vector<Rank> order = order_of(other);
  const std::vector<Op> sorted = copy_into_order(comm, order, call.blocks, sent, call.in);
  co_await comm.wait(sorted);
  co_await run_choice(other, "of", call, alltoall_part(call, sent, received, size));
  copy_out_of_order(comm, order, call.blocks, call.out, received);
}

TUTTI_ALGORITHM(alltoall, "permuted", alltoall_permuted)
    .by_node()
    .parameter("order", order_names())
    .or_list_of_ranks()
    .parameter("of", number_of_choice(Collective::alltoall, "pairwise"), kFirstChoice)
    .tried({number_of_choice(Collective::alltoall, "bruck"), number_of_choice(Collective::alltoall, "linear")})
    .rounds_between(no_rounds, rounds_of<count_permuted>, "those of `of`, at most")
    .messages(messages_of<count_permuted>, "those of `of`")
    .bytes(bytes_of<count_permuted>, "those of `of`")
    .cite(kOrdersSource)
    .deviates(
        "any algorithm that does not ask for groups, in three orders or a given one (order=2-0-1); blocks are copied "
        "before and after");

}  // namespace tutti
