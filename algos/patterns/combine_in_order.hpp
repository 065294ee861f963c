#pragma once

#include "algos/task.hpp"

namespace tutti {

/// own = the combination, in order, of `operands` vectors as long as `own`: the one numbered `place` is own, the others
/// lie one behind the other in `inbox`, which is overwritten.
Task combine_in_order(Comm comm, View own, View inbox, int operands, int place);

}  // namespace tutti
