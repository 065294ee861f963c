#pragma once

#include "algos/registry.hpp"

namespace tutti {

/// How many copies and reductions a rank of the middle makes in the call: simulating them takes time as messages do,
/// and most algorithms make about as many, but some copy every block. `real` is what runs; 0 for algorithms that ask
/// which ranks share a node.
std::int64_t local_operations(const Choice& real, const Case& c);

}  // namespace tutti
