#pragma once

#include "algos/call.hpp"
#include "algos/task.hpp"

namespace tutti {

// What other algorithms are made of; each is in the file of its name.
Task scatter_binomial(Comm comm, Call call);
Task scatter_linear(Comm comm, Call call);

}  // namespace tutti
