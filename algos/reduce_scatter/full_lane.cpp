#include "algos/patterns/lanes_of_blocks.hpp"

namespace tutti {

TUTTI_ALGORITHM(reduce_scatter, "full_lane", reduce_scatter_in_lanes)
    .by_node()
    .commutative()
    .parameter("lane", number_of_choice(Collective::reduce_scatter, "ring"), kFirstChoice)
    .tried({number_of_choice(Collective::reduce_scatter, "pairwise"),
            number_of_choice(Collective::reduce_scatter, "recursive_halving")})
    .rounds_between(no_rounds, rounds_of<count_reduce_scatter_in_lanes>, kReduceScatterLaneRounds)
    .messages(messages_of<count_reduce_scatter_in_lanes>, kReduceScatterLaneMessages)
    .bytes(bytes_of<count_reduce_scatter_in_lanes>, kReduceScatterLaneBytes)
    .cite(kFullLane)
    .deviates(kReduceScatterLaneDeviates);

}  // namespace tutti
