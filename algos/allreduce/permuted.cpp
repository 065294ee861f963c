#include "algos/patterns/permuted.hpp"

namespace tutti {

Task allreduce_permuted(Comm comm, Call call) {
  co_await run_choice(permuted(comm, call), "of", call, allreduce_part(call, call.in, call.out));
}

TUTTI_ALGORITHM(allreduce, "permuted", allreduce_permuted)
    .by_node()
    .commutative()
    .parameter("order", order_names())
    .or_list_of_ranks()
    .parameter("of", number_of_choice(Collective::allreduce, "recursive_doubling"), kFirstChoice)
    .tried({number_of_choice(Collective::allreduce, "ring"), number_of_choice(Collective::allreduce, "rabenseifner")})
    .rounds_between(no_rounds, rounds_of<count_permuted>, "those of `of`, at most")
    .messages(messages_of<count_permuted>, "those of `of`")
    .bytes(bytes_of<count_permuted>, "those of `of`")
    .cite(kOrdersSource)
    .deviates("any algorithm that does not ask for groups, in three orders or a given one (order=2-0-1)");

}  // namespace tutti
