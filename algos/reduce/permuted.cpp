#include "algos/patterns/permuted.hpp"

namespace tutti {

Task reduce_permuted(Comm comm, Call call) {
  const Comm other = permuted(comm, call);
  const bool is_root = comm.rank() == call.root;
  co_await run_choice(other, "of", call, reduce_part(call, call.in, call.out, is_root, other.rank_of(call.root)));
}

TUTTI_ALGORITHM(reduce, "permuted", reduce_permuted)
    .by_node()
    .commutative()
    .parameter("order", order_names())
    .or_list_of_ranks()
    .parameter("of", number_of_choice(Collective::reduce, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::reduce, "chain"), number_of_choice(Collective::reduce, "rabenseifner")})
    .rounds_between(no_rounds, rounds_of<count_permuted>, "those of `of`, at most")
    .messages(messages_of<count_permuted>, "those of `of`")
    .bytes(bytes_of<count_permuted>, "those of `of`")
    .cite(kOrdersSource)
    .deviates("any algorithm that does not ask for groups, in three orders or a given one (order=2-0-1)");

}  // namespace tutti
