#pragma once

#include "algos/blocks.hpp"
#include "algos/task.hpp"

namespace tutti {

// Direct exchanges among all ranks of a communicator and its leaders, the first blocks.parts of them, each of which has
// a block of `vector`. Every rank of the communicator calls them.

/// Each leader reduces its block, in the vector itself; commutative operators. In a step all ranks are equally far from
/// whom they send to.
Task reduce_to_leaders(Comm comm, View vector, Blocks blocks);
/// Each leader gives its block to all.
Task collect_from_leaders(Comm comm, View vector, Blocks blocks);

}  // namespace tutti
