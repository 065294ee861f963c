#include "algos/patterns/node_aware.hpp"

namespace tutti {

TUTTI_ALGORITHM(neighbor_allgather, "node_aware", exchange_node_aware)
    .by_node()
    .rounds_between(least_node_aware_rounds<Way::one_for_all>, most_node_aware_rounds<Way::one_for_all>,
                    kNodeAwareRounds)
    .messages(node_aware_messages<Way::one_for_all>, kNodeAwareMessages)
    .bytes(node_aware_bytes<Way::one_for_all>,
           "each block once to each node, and within nodes where another rank sends or has got it")
    .cite(kNodeAwareSources)
    .deviates(kNodeAwareDeviates);

}  // namespace tutti
