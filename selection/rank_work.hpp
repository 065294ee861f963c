#pragma once

#include "algos/registry.hpp"
#include "models/machine.hpp"

namespace tutti {

/// What a rank of the middle does in a call, which stands for what most do.
struct RankWork {
  std::int64_t local_operations = 0;  // copies and reductions
  double local_seconds = 0;           // that these and messages' combinations take at least
  std::int64_t bytes_to_each = 0;     // that it sends at least to every other rank
};

/// `real` is what runs; nothing is known (0) of algorithms that ask which ranks share a node.
RankWork work_of_middle_rank(const Choice& real, const Case& c, const Compute& compute);

}  // namespace tutti
