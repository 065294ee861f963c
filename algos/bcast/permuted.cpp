#include "algos/patterns/permuted.hpp"

namespace tutti {

Task bcast_permuted(Comm comm, Call call) {
  const Comm other = permuted(comm, call);
  co_await run_choice(other, "of", call, bcast_part(call, call.out, other.rank_of(call.root)));
}

TUTTI_ALGORITHM(bcast, "permuted", bcast_permuted)
    .by_node()
    .parameter("order", order_names())
    .or_list_of_ranks()
    .parameter("of", number_of_choice(Collective::bcast, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::bcast, "chain"), number_of_choice(Collective::bcast, "scatter_ring")})
    .rounds_between(no_rounds, rounds_of<count_permuted>, "those of `of`, at most")
    .messages(messages_of<count_permuted>, "those of `of`")
    .bytes(bytes_of<count_permuted>, "those of `of`")
    .cite(kOrdersSource)
    .deviates("any algorithm that does not ask for groups, in three orders or a given one (order=2-0-1)");

}  // namespace tutti
