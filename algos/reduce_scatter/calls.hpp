#pragma once

#include "algos/call.hpp"
#include "algos/task.hpp"

namespace tutti {

// What other algorithms are made of; each is in the file of its name.
Task reduce_scatter_butterfly(Comm comm, Call call);
Task reduce_scatter_noncommutative(Comm comm, Call call);
Task reduce_scatter_pairwise(Comm comm, Call call);
Task reduce_scatter_pipelined_ring(Comm comm, Call call);
Task reduce_scatter_recursive_distance_doubling(Comm comm, Call call);
Task reduce_scatter_recursive_doubling(Comm comm, Call call);
Task reduce_scatter_recursive_halving(Comm comm, Call call);

}  // namespace tutti
