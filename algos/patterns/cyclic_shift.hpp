#pragma once

#include "algos/patterns/rotation.hpp"
#include "algos/task.hpp"

namespace tutti {

// Bruck's concatenation on k-1 ports, and the same backwards as a reduction: in a phase a rank meets those 1, 2 … k-1
// times a power of k away. `work` holds the rotated blocks of all ranks, the rank's own first; every rank of the
// communicator calls them.

/// Each rank has its own block at first, and all at the end.
Task collect_by_cyclic_shift(Comm comm, View work, Rotation held, std::int64_t radix);

/// Each rank has contributions to all blocks; at the end its own block is complete, the others are partial. For
/// commutative operators.
Task reduce_by_cyclic_shift(Comm comm, View work, Rotation held, std::int64_t radix);

}  // namespace tutti
