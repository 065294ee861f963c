#pragma once

#include <cstdint>

#include "runtime/bench/samples.hpp"

namespace tutti::bench {

/// What a core does by itself, on memory that it has used just before.
enum class Work { copy, reduction };

/// All ranks at once: seconds for `bytes` bytes copied, or combined with as many (sums of floats).
Summary measure_work(Team& team, Work work, std::int64_t bytes, double budget_seconds);

}  // namespace tutti::bench
