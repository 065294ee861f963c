#include "algos/patterns/hier_lanes.hpp"

namespace tutti {

TUTTI_ALGORITHM(reduce_scatter, "hier", reduce_scatter_by_levels)
    .by_node()
    .commutative()
    .requires_that("uneven <= 1", "blocks that differ by one element at most")
    .parameter("cache", number_of_none(Collective::reduce_scatter), kFirstChoice)
    .tried({number_of_choice(Collective::reduce_scatter, "pairwise")})
    .parameter("numa", number_of_none(Collective::reduce_scatter), kFirstChoice)
    .tried({number_of_choice(Collective::reduce_scatter, "pairwise")})
    .parameter("socket", number_of_none(Collective::reduce_scatter), kFirstChoice)
    .tried({number_of_choice(Collective::reduce_scatter, "pairwise")})
    .parameter("node", number_of_choice(Collective::reduce_scatter, "pairwise"), kFirstChoice)
    .tried({number_of_choice(Collective::reduce_scatter, "recursive_halving")})
    .parameter("leaf", number_of_none(Collective::reduce_scatter), kFirstChoice)
    .tried({number_of_choice(Collective::reduce_scatter, "pairwise")})
    .parameter("group", number_of_none(Collective::reduce_scatter), kFirstChoice)
    .tried({number_of_choice(Collective::reduce_scatter, "pairwise")})
    .parameter("global", number_of_choice(Collective::reduce_scatter, "ring"), kFirstChoice)
    .tried({number_of_choice(Collective::reduce_scatter, "cyclic_shift")})
    .rounds_between(no_rounds, rounds_of<count_reduce_scatter_by_levels>, "those of all levels, at most")
    .messages(messages_of<count_reduce_scatter_by_levels>, "those of each level, on all lanes of each of its parts")
    .bytes(bytes_of<count_reduce_scatter_by_levels>, "those of each level, on all lanes of each of its parts")
    .cite(kLanesByLevels)
    .deviates(TUTTI_SUMS_OF_LEVELS "; blocks that are one element smaller are sent with one more");

}  // namespace tutti
