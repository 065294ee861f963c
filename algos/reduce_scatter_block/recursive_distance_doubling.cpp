#include "algos/patterns/mirror.hpp"
#include "algos/reduce_scatter/calls.hpp"

namespace tutti {

TUTTI_ALGORITHM(reduce_scatter_block, "recursive_distance_doubling", reduce_scatter_recursive_distance_doubling)
    .commutative()
    .rounds(kDistanceDoublingRounds)
    .messages(kDistanceDoublingMessages)
    .bytes(bytes_with_mirrors_by_halves, kDistanceDoublingBytes)
    .cite(kDistanceDoublingSources)
    .deviates(kDistanceDoublingDeviates);

}  // namespace tutti
