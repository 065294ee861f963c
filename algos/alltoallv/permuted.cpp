#include "algos/patterns/permuted.hpp"

#include "algos/patterns/part_exchange.hpp"

namespace tutti {

Task alltoallv_permuted(Comm comm, Call call) {
  const Comm other = permuted(comm, call);
  const int size = comm.size();
  std::vector<Ranks> each(static_cast<std::size_t>(size));
  std::vector<Target> in_order;
  for (Rank i = 0; i < size; ++i) {
    each[i] = {other.world_rank(i)};
    in_order.push_back({other.world_rank(i), &each[i]});
  }
  const std::shared_ptr<const BlockCounts> counts = counts_on_lane(call, all_with_their_own(size), in_order);
  const RankExchange& exchange = counts->exchange(other.rank());
  const View sent = comm.scratch(exchange.sent.total()), received = comm.scratch(exchange.received.total());
  std::vector<Op> copies;
  for (Rank i = 0; i < size; ++i)
    copies.push_back(comm.copy(exchange.sent.of(sent, i), call.blocks.of(call.in, other.world_rank(i))));
  co_await comm.wait(copies);
  Call part = alltoall_part(call, sent, received, size);
  part.exchange = &exchange;
  part.blocks = exchange.sent;
  co_await run_choice(other, "of", call, part);
  for (Rank i = 0; i < size; ++i) comm.copy(call.incoming(other.world_rank(i)), exchange.received.of(received, i));
}

TUTTI_ALGORITHM(alltoallv, "permuted", alltoallv_permuted)
    .by_node()
    .parameter("order", order_names())
    .or_list_of_ranks()
    .parameter("of", number_of_choice(Collective::alltoallv, "pairwise"), kFirstChoice)
    .tried({number_of_choice(Collective::alltoallv, "bruck"), number_of_choice(Collective::alltoallv, "linear")})
    .rounds_between(no_rounds, rounds_of<count_permuted_exchange>, "those of `of`, at most")
    .messages(messages_of<count_permuted_exchange>, "those of `of`")
    .bytes(bytes_of<count_permuted_exchange>, "those of `of`")
    .cite(kOrdersSource)
    .deviates(
        "any algorithm that does not ask for groups, in three orders or a given one (order=2-0-1); blocks are copied "
        "before and after");

}  // namespace tutti
