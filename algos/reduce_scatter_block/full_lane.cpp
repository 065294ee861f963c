#include "algos/patterns/lanes_of_blocks.hpp"

namespace tutti {

TUTTI_ALGORITHM(reduce_scatter_block, "full_lane", reduce_scatter_in_lanes)
    .by_node()
    .commutative()
    .parameter("lane", number_of_choice(Collective::reduce_scatter_block, "recursive_halving"), kFirstChoice)
    .tried({number_of_choice(Collective::reduce_scatter_block, "pairwise"),
            number_of_choice(Collective::reduce_scatter_block, "butterfly")})
    .rounds_between(no_rounds, rounds_of<count_reduce_scatter_in_lanes>,
                    "s-1, s ranks on a node, and those of the lane, at most")
    .messages(messages_of<count_reduce_scatter_in_lanes>,
              "p*(s-1), s ranks on a node, and those of the lane on each of s lanes")
    .bytes(bytes_of<count_reduce_scatter_in_lanes>,
           "nodes*(s-1)*n, s ranks on a node, and those of the lane on each of s lanes, with its ranks' blocks")
    .cite(kFullLane)
    .deviates(
        "on nodes it is a ring, where the paper calls MPI_Reduce_scatter_block, and blocks are copied into the lanes' "
        "order, where it has a datatype; lane also serves all ranks where nodes have not as many each");

}  // namespace tutti
