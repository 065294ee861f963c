#pragma once

#include "algos/registry.hpp"

namespace tutti {

/// Allgather by recursive exchange of radix `radix`, near ranks first (`halving` false) or far ranks first, which takes
/// one more exchange to bring the blocks to where consecutive ones come together.
Task allgather_recexch(Comm comm, Call call, bool halving);

}  // namespace tutti
