#include "algos/patterns/permuted.hpp"

namespace tutti {

Task alltoall_permuted(Comm comm, Call call) {
  const Comm other = permuted(comm, call);
  const int size = comm.size();
  const Count each = call.blocks.count(0);
  const View sent = comm.scratch(size * each), received = comm.scratch(size * each);
  std::vector<Op> copies;
  for (int i = 0; i < size; ++i)
    copies.push_back(comm.copy(sent.slice(i * each, each), call.blocks.of(call.in, other.world_rank(i))));
  co_await comm.wait(copies);
  co_await run_choice(other, "of", call, alltoall_part(call, sent, received, size));
  for (int i = 0; i < size; ++i)
    comm.copy(call.blocks.of(call.out, other.world_rank(i)), received.slice(i * each, each));
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
