#include "algos/patterns/hier_lanes.hpp"

namespace tutti {

TUTTI_ALGORITHM(reduce_scatter_block, "hier", reduce_scatter_by_levels)
    .by_node()
    .commutative()
    .parameter("cache", number_of_none(Collective::reduce_scatter_block), kFirstChoice)
    .tried({number_of_choice(Collective::reduce_scatter_block, "pairwise")})
    .parameter("numa", number_of_none(Collective::reduce_scatter_block), kFirstChoice)
    .tried({number_of_choice(Collective::reduce_scatter_block, "pairwise")})
    .parameter("socket", number_of_none(Collective::reduce_scatter_block), kFirstChoice)
    .tried({number_of_choice(Collective::reduce_scatter_block, "pairwise")})
    .parameter("node", number_of_choice(Collective::reduce_scatter_block, "pairwise"), kFirstChoice)
    .tried({number_of_choice(Collective::reduce_scatter_block, "recursive_halving")})
    .parameter("leaf", number_of_none(Collective::reduce_scatter_block), kFirstChoice)
    .tried({number_of_choice(Collective::reduce_scatter_block, "pairwise")})
    .parameter("group", number_of_none(Collective::reduce_scatter_block), kFirstChoice)
    .tried({number_of_choice(Collective::reduce_scatter_block, "pairwise")})
    .parameter("global", number_of_choice(Collective::reduce_scatter_block, "recursive_halving"), kFirstChoice)
    .tried({number_of_choice(Collective::reduce_scatter_block, "pairwise")})
    .rounds_between(no_rounds, rounds_of<count_reduce_scatter_block_by_levels>, "those of all levels, at most")
    .messages(messages_of<count_reduce_scatter_block_by_levels>,
              "those of each level, on all lanes of each of its parts")
    .bytes(bytes_of<count_reduce_scatter_block_by_levels>, "those of each level, on all lanes of each of its parts")
    .cite(kLanesByLevels)
    .deviates(TUTTI_SUMS_OF_LEVELS);

}  // namespace tutti
