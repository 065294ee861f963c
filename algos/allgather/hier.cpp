#include "algos/patterns/hier_allgather.hpp"

namespace tutti {

TUTTI_ALGORITHM(allgather, "hier", allgather_by_levels)
    .by_node()
    .parameter("cache", number_of_none(Collective::gather), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "linear")})
    .parameter("numa", number_of_none(Collective::gather), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "binomial")})
    .parameter("socket", number_of_none(Collective::gather), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "binomial")})
    .parameter("node", number_of_choice(Collective::gather, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "linear")})
    .parameter("leaf", number_of_none(Collective::gather), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "binomial")})
    .parameter("group", number_of_none(Collective::gather), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "binomial")})
    .parameter("global", number_of_choice(Collective::allgather, "ring"), kFirstChoice)
    .tried({number_of_choice(Collective::allgather, "bruck")})
    .parameter("down", number_of_choice(Collective::bcast, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::bcast, "linear")})
    .rounds_between(no_rounds, rounds_of<count_allgather_by_levels>, "those of all levels and of down, at most")
    .messages(messages_of<count_allgather_by_levels>, "those of each level, of down on each of its parts, and global")
    .bytes(bytes_of<count_allgather_by_levels>,
           "those of each level with all blocks of a part in one, of down, and global")
    .cite(
        "Karonis, de Supinski, Foster, et al.: Exploiting Hierarchy in Parallel Computer Networks, IPDPS 2000: gathers "
        "on nodes, allgather of their first ranks, broadcasts on nodes")
    .deviates(TUTTI_LEVELS_OF_ANY_SIZE "ring and, inside, binomial");

}  // namespace tutti
