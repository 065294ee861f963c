#pragma once

#include "algos/call.hpp"
#include "algos/task.hpp"

namespace tutti {

// What other algorithms are made of; each is in the file of its name.
Task allgather_bine_block_by_block(Comm comm, Call call);
Task allgather_bruck(Comm comm, Call call);
Task allgather_circulant(Comm comm, Call call);
Task allgather_neighbor_exchange(Comm comm, Call call);
Task allgather_recursive_doubling(Comm comm, Call call);
Task allgather_ring(Comm comm, Call call);
Task allgather_sparbit(Comm comm, Call call);
Task allgather_two_proc(Comm comm, Call call);

}  // namespace tutti
