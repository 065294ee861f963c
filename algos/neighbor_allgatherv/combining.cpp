#include "algos/patterns/message_combining.hpp"

namespace tutti {

TUTTI_ALGORITHM(neighbor_allgatherv, "combining", combine_messages)
    .requires_that("grid", "neighbours on a grid")
    .rounds_between(least_combined_rounds<Way::one_for_all>, most_combined_rounds<Way::one_for_all>, kCombinedRounds)
    .messages(combined_messages_in_all<Way::one_for_all>, kCombinedMessages)
    .bytes(combined_bytes<Way::one_for_all>, "each block once for each neighbour")
    .cite(kCombiningSources)
    .deviates(kCombiningDeviates);

}  // namespace tutti
