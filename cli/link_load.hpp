#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "sim/engine.hpp"

namespace tutti::cli {

/// The link of a recorded run that the bytes of its messages keep busy for longest.
struct HottestLink {
  std::string level, name;
  std::int64_t bytes = 0;
  double busy_seconds = 0;  // those bytes at its bandwidth
};

/// Nothing where no message passes a link. `core_of_rank`: of the experiment that was recorded.
std::optional<HottestLink> hottest_link(const Result& result, const Network& network,
                                        std::span<const int> core_of_rank);

}  // namespace tutti::cli
