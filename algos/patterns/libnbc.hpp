#pragma once

#include "algos/patterns/parts.hpp"

namespace tutti {

// What Open MPI's coll/libnbc does for a non-blocking broadcast and reduction (nbc_ibcast.c, nbc_ireduce.c of 5.0): it
// chooses by the number of ranks, a reduction by size, too, and cuts long vectors for a chain.

Task libnbc_bcast(Comm comm, Call call);
Task libnbc_reduce(Comm comm, Call call);  // the operator is commutative

PartCounts count_libnbc_bcast(const Facts& whole, int ranks, Count count);
PartCounts count_libnbc_reduce(const Facts& whole, int ranks, Count count, Rank root);

}  // namespace tutti
