#include "algos/patterns/permuted.hpp"

namespace tutti {

TUTTI_ALGORITHM(reduce_scatter_block, "permuted", reduce_scatter_in_order)
    .by_node()
    .commutative()
    .parameter("order", order_names())
    .or_list_of_ranks()
    .parameter("of", number_of_choice(Collective::reduce_scatter_block, "recursive_halving"), kFirstChoice)
    .tried({number_of_choice(Collective::reduce_scatter_block, "pairwise"),
            number_of_choice(Collective::reduce_scatter_block, "butterfly")})
    .rounds_between(no_rounds, rounds_of<count_permuted>, "those of `of`, at most")
    .messages(messages_of<count_permuted>, "those of `of`")
    .bytes(bytes_of<count_permuted>, "those of `of`")
    .cite(kOrdersSource)
    .deviates(
        "any algorithm that does not ask for groups, in three orders or a given one (order=2-0-1); blocks are copied "
        "before");

}  // namespace tutti
