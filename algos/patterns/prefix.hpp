#pragma once

#include "algos/call.hpp"
#include "algos/task.hpp"

namespace tutti {

/// The prefix reduction of scan and exscan by recursive doubling; every rank of the communicator calls it. Puts the
/// reduction of `call.in` over all lower ranks in front of what `call.out` holds (`has_own`), or there alone. Rank 0
/// leaves its `out` as it is. Keeps the order of operands.
Task prefix_by_doubling(Comm comm, Call call, bool has_own);

}  // namespace tutti
