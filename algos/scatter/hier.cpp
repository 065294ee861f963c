#include "algos/patterns/hier_blocks.hpp"
#include "algos/patterns/hier_uneven.hpp"

namespace tutti {

Task scatter_hier(Comm comm, Call call) { return scatter_by_levels(comm, call, BlocksOf::one_size); }

TUTTI_ALGORITHM(scatter, "hier", scatter_hier)
    .by_node()
    .parameter("cache", number_of_none(Collective::scatter), kFirstChoice)
    .tried({number_of_choice(Collective::scatter, "linear")})
    .parameter("numa", number_of_none(Collective::scatter), kFirstChoice)
    .tried({number_of_choice(Collective::scatter, "linear")})
    .parameter("socket", number_of_none(Collective::scatter), kFirstChoice)
    .tried({number_of_choice(Collective::scatter, "binomial")})
    .parameter("node", number_of_choice(Collective::scatter, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::scatter, "linear")})
    .parameter("leaf", number_of_none(Collective::scatter), kFirstChoice)
    .tried({number_of_choice(Collective::scatter, "binomial")})
    .parameter("group", number_of_none(Collective::scatter), kFirstChoice)
    .tried({number_of_choice(Collective::scatter, "binomial")})
    .parameter("global", number_of_choice(Collective::scatter, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::scatter, "bine"), number_of_choice(Collective::scatter, "linear")})
    .rounds_between(no_rounds, rounds_of<count_blocks_by_levels>, "those of all levels, at most")
    .messages(messages_of<count_blocks_by_levels>,
              "those of each level on each of its parts, with all blocks of a part in one")
    .bytes(bytes_of<count_blocks_by_levels>,
           "those of each level on each of its parts, with all blocks of a part in one")
    .cite(kBlocksByLevels)
    .deviates(TUTTI_LEVELS_OF_ANY_SIZE
              "binomial; where the root is then not the first of its part, that one gets all blocks from it, which is "
              "one more message");

}  // namespace tutti
