#include "algos/patterns/permuted.hpp"

namespace tutti {

TUTTI_ALGORITHM(reduce_scatter, "permuted", reduce_scatter_in_order)
    .by_node()
    .commutative()
    .requires_that("uneven <= 1", "blocks that differ by one element at most")
    .parameter("order", order_names())
    .or_list_of_ranks()
    .parameter("of", number_of_choice(Collective::reduce_scatter, "ring"), kFirstChoice)
    .tried({number_of_choice(Collective::reduce_scatter, "cyclic_shift"),
            number_of_choice(Collective::reduce_scatter, "recursive_halving")})
    .rounds_between(no_rounds, rounds_of<count_permuted_blocks>, "those of `of`, at most")
    .messages(messages_of<count_permuted_blocks>, "those of `of`")
    .bytes(bytes_of<count_permuted_blocks>, "those of `of`")
    .cite(kOrdersSource)
    .deviates(
        "any algorithm that does not ask for groups, in three orders or a given one (order=2-0-1); blocks are copied "
        "before; those that are one element smaller are sent with one more");

}  // namespace tutti
