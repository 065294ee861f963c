#pragma once

#include "algos/registry.hpp"

namespace tutti {

/// Whether the choice can run the reduction, but combines operands in another order than MPI's, so that an operator
/// that does not commute gets wrong results from a library that runs it all the same.
bool breaks_order(const Choice& choice, Case c);

}  // namespace tutti
