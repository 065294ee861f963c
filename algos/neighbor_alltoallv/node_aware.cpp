#include "algos/patterns/node_aware.hpp"

namespace tutti {

TUTTI_ALGORITHM(neighbor_alltoallv, "node_aware", exchange_node_aware)
    .by_node()
    .rounds_between(least_node_aware_rounds<Way::each_block>, most_node_aware_rounds<Way::each_block>, kNodeAwareRounds)
    .messages(node_aware_messages<Way::each_block>, kNodeAwareMessages)
    .bytes(node_aware_bytes<Way::each_block>,
           "each block once between nodes, and within nodes where another rank sends or has got it")
    .cite(kNodeAwareSources)
    .deviates(kNodeAwareDeviates);

}  // namespace tutti
