#include "algos/patterns/hier_blocks.hpp"
#include "algos/patterns/hier_uneven.hpp"

namespace tutti {

Task gather_hier(Comm comm, Call call) { return gather_by_levels(comm, call, BlocksOf::one_size); }

TUTTI_ALGORITHM(gather, "hier", gather_hier)
    .by_node()
    .parameter("cache", number_of_none(Collective::gather), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "linear")})
    .parameter("numa", number_of_none(Collective::gather), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "linear")})
    .parameter("socket", number_of_none(Collective::gather), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "binomial")})
    .parameter("node", number_of_choice(Collective::gather, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "linear")})
    .parameter("leaf", number_of_none(Collective::gather), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "binomial")})
    .parameter("group", number_of_none(Collective::gather), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "binomial")})
    .parameter("global", number_of_choice(Collective::gather, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "bine"), number_of_choice(Collective::gather, "linear")})
    .rounds_between(no_rounds, rounds_of<count_blocks_by_levels>, "those of all levels, at most")
    .messages(messages_of<count_blocks_by_levels>,
              "those of each level on each of its parts, with all blocks of a part in one")
    .bytes(bytes_of<count_blocks_by_levels>,
           "those of each level on each of its parts, with all blocks of a part in one")
    .cite(kBlocksByLevels)
    .deviates(TUTTI_LEVELS_OF_ANY_SIZE
              "binomial; where the root is then not the first of its part, that one sends it all blocks, which is one "
              "more message");

}  // namespace tutti
