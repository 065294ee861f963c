#pragma once

#include <optional>

#include "algos/case.hpp"

namespace tutti::bench {

/// What rank puts into element i of its input: small whole numbers, whose sums over ranks are exact in a float and do
/// not leave a byte.
constexpr int pattern(Rank rank, Count i) { return static_cast<int>((rank * 5 + i * 3) % 7); }

/// What the collective leaves in element i of the rank's output, where reductions sum; nothing where it is open.
std::optional<std::int64_t> expected(const Case& c, Rank rank, Count i);

}  // namespace tutti::bench
