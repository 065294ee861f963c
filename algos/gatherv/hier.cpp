#include "algos/patterns/hier_blocks.hpp"

namespace tutti {

Task gatherv_hier(Comm comm, Call call) { return gather_by_levels(comm, call, BlocksOf::any_size); }

TUTTI_ALGORITHM(gatherv, "hier", gatherv_hier)
    .by_node()
    .parameter("cache", number_of_none(Collective::gatherv), kFirstChoice)
    .tried({number_of_choice(Collective::gatherv, "linear")})
    .parameter("numa", number_of_none(Collective::gatherv), kFirstChoice)
    .tried({number_of_choice(Collective::gatherv, "linear")})
    .parameter("socket", number_of_none(Collective::gatherv), kFirstChoice)
    .tried({number_of_choice(Collective::gatherv, "binomial")})
    .parameter("node", number_of_choice(Collective::gatherv, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::gatherv, "linear")})
    .parameter("leaf", number_of_none(Collective::gatherv), kFirstChoice)
    .tried({number_of_choice(Collective::gatherv, "binomial")})
    .parameter("group", number_of_none(Collective::gatherv), kFirstChoice)
    .tried({number_of_choice(Collective::gatherv, "binomial")})
    .parameter("global", number_of_choice(Collective::gatherv, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::gatherv, "linear")})
    .rounds_between(no_rounds, rounds_of<count_any_blocks_by_levels>, "those of all levels, at most")
    .messages(messages_of<count_any_blocks_by_levels>,
              "those of each level on each of its parts, with all blocks of a part in one")
    .bytes(bytes_of<count_any_blocks_by_levels>,
           "those of each level on each of its parts, with all blocks of a part in one")
    .cite(kBlocksByLevels)
    .deviates(
        "levels of any machine, blocks of any counts, which all ranks know; where parts have not as many ranks and the "
        "root is not the first of its part, that one sends it all blocks, which is one more message");

}  // namespace tutti
