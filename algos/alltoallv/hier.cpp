#include "algos/patterns/hier_exchange.hpp"
#include "algos/patterns/hier_lanes.hpp"

namespace tutti {

TUTTI_ALGORITHM(alltoallv, "hier", alltoallv_by_levels)
    .by_node()
    .parameter("cache", number_of_none(Collective::alltoallv), kFirstChoice)
    .tried({number_of_choice(Collective::alltoallv, "linear")})
    .parameter("numa", number_of_none(Collective::alltoallv), kFirstChoice)
    .tried({number_of_choice(Collective::alltoallv, "linear")})
    .parameter("socket", number_of_none(Collective::alltoallv), kFirstChoice)
    .tried({number_of_choice(Collective::alltoallv, "linear")})
    .parameter("node", number_of_choice(Collective::alltoallv, "linear"), kFirstChoice)
    .tried({number_of_choice(Collective::alltoallv, "pairwise")})
    .parameter("leaf", number_of_none(Collective::alltoallv), kFirstChoice)
    .tried({number_of_choice(Collective::alltoallv, "linear")})
    .parameter("group", number_of_none(Collective::alltoallv), kFirstChoice)
    .tried({number_of_choice(Collective::alltoallv, "linear")})
    .parameter("global", number_of_choice(Collective::alltoallv, "scattered"), kFirstChoice)
    .tried({number_of_choice(Collective::alltoallv, "bruck")})
    .rounds_between(no_rounds, rounds_of<count_alltoallv_by_levels>, "those of all levels, at most")
    .messages(messages_of<count_alltoallv_by_levels>, "those of each level, on all lanes of each of its parts")
    .bytes(bytes_of<count_alltoallv_by_levels>, "those of each level, on all lanes of each of its parts")
    .cite(kLanesByLevels)
    .deviates(
        "levels of any machine and blocks of any counts, which all ranks know; where parts have not as many ranks, a "
        "rank of a small one stands for several numbers, and what is not empty goes at once, in place of the level's "
        "algorithm");

}  // namespace tutti
