#pragma once

#include "algos/call.hpp"
#include "algos/task.hpp"

namespace tutti {

// What other algorithms are made of; each is in the file of its name.
Task alltoall_pairwise(Comm comm, Call call);

}  // namespace tutti
