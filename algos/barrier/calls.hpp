#pragma once

#include "algos/call.hpp"
#include "algos/task.hpp"

namespace tutti {

// What other algorithms are made of; each is in the file of its name.
Task barrier_bruck(Comm comm, Call call);

}  // namespace tutti
