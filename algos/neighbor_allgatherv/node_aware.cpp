#include "algos/patterns/node_aware.hpp"

namespace tutti {

TUTTI_ALGORITHM(neighbor_allgatherv, "node_aware", exchange_node_aware)
    .by_node()
    .rounds_between(least_node_aware_rounds<Way::one_for_all>, most_node_aware_rounds<Way::one_for_all>,
                    "at least the most partners of a rank, either way; at most, in each of three stages, twice its "
                    "messages less one")
    .messages(
        node_aware_messages<Way::one_for_all>,
        "one for each pair of nodes that has something to exchange, and within nodes up to three for each pair of "
        "ranks: to who sends it, what is for the node, from who has got it")
    .bytes(node_aware_bytes<Way::one_for_all>,
           "each block once to each node, and within nodes where another rank sends or has got it")
    .cite(
        "Bienz, Gropp, Olson: Node Aware Sparse Matrix-Vector Multiplication, JPDC 130, 2019; Collom, Li, Bienz: "
        "Optimizing Irregular Communication with Neighborhood Collectives and Locality-Aware Parallelism, 2023: three "
        "steps")
    .deviates("which rank of a node exchanges with another node goes by that node's number, not by how much there is");

}  // namespace tutti
