#pragma once

#include "algos/call.hpp"
#include "algos/task.hpp"

namespace tutti {

// What other algorithms are made of; each is in the file of its name.
Task bcast_binomial(Comm comm, Call call);
/// MPICH's binomial tree, knomial:radix=2 in one piece: the last round is between neighbours.
Task bcast_binomial_halving(Comm comm, Call call);
Task bcast_linear(Comm comm, Call call);

}  // namespace tutti
