#include "algos/patterns/message_combining.hpp"

namespace tutti {

TUTTI_ALGORITHM(neighbor_alltoall, "combining", combine_messages)
    .requires_that("grid", "neighbours on a grid")
    .rounds_between(least_combined_rounds<Way::each_block>, most_combined_rounds<Way::each_block>, kCombinedRounds)
    .messages(combined_messages_in_all<Way::each_block>, kCombinedMessages)
    .bytes(combined_bytes<Way::each_block>, "each block as many times as its neighbour is away in dimensions")
    .cite(kCombiningSources)
    .deviates(kCombiningDeviates);

}  // namespace tutti
