#pragma once

#include "algos/call.hpp"
#include "algos/patterns/round_clock.hpp"
#include "algos/task.hpp"

namespace tutti {

/// The prefix reduction of scan and exscan by recursive doubling; every rank of the communicator calls it. Puts the
/// reduction of `call.in` over all lower ranks in front of what `call.out` holds (`has_own`), or there alone. Rank 0
/// leaves its `out` as it is. Keeps the order of operands.
Task prefix_by_doubling(Comm comm, Call call, bool has_own);

/// Its messages; and the rounds to which ranks have come that began it in these, with a message that each took in.
double prefix_messages(int size);
RoundClock after_prefix(const std::vector<int>& round);

}  // namespace tutti
