#pragma once

#include "algos/call.hpp"
#include "algos/task.hpp"

namespace tutti {

/// An allgather or allgatherv around the ring, of blocks that are passed on in segments: a block's first ones go on
/// while its others still come. An empty block is not sent.
Task allgather_in_segments(Comm comm, Call call);

}  // namespace tutti
