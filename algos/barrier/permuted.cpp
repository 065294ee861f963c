#include "algos/patterns/permuted.hpp"

namespace tutti {

Task barrier_permuted(Comm comm, Call call) { co_await run_choice(permuted(comm, call), "of", call, call); }

TUTTI_ALGORITHM(barrier, "permuted", barrier_permuted)
    .by_node()
    .parameter("order", order_names())
    .or_list_of_ranks()
    .parameter("of", number_of_choice(Collective::barrier, "bruck"), kFirstChoice)
    .tried({number_of_choice(Collective::barrier, "tree"), number_of_choice(Collective::barrier, "double_ring")})
    .rounds_between(no_rounds, rounds_of<count_permuted>, "those of `of`, at most")
    .messages(messages_of<count_permuted>, "those of `of`")
    .bytes("0")
    .cite(kOrdersSource)
    .deviates("any algorithm that does not ask for groups, in three orders or a given one (order=2-0-1)");

}  // namespace tutti
