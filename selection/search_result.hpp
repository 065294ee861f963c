#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "selection/candidates.hpp"
#include "selection/protocol.hpp"
#include "tables/table.hpp"

namespace tutti {

/// What is known of a time.
struct TimeBounds {
  double lower = 0, upper = std::numeric_limits<double>::infinity();
};

/// What is known of one candidate at one size of a place.
struct Estimate {
  TimeBounds seconds;                         // 0 to infinity where it does not run
  std::optional<Counts> counts;               // that it declares
  std::vector<Protocol> protocols;            // by distance
  Choice real;                                // what runs; no algorithm: nothing does
  double lower_bound_seconds = 0;             // by bounds alone, whatever came of it
  bool ruled_out = false;                     // no rival of the best, though its bounds do not say so (is_ruled_out())
  std::optional<double> likely_seconds = {};  // known, or on a line between what is
  bool may_lose_messages = false;             // (selection/losses.hpp)
};

/// What is known of all candidates at all sizes of one place, and what the table says of it.
struct SearchResult {
  std::vector<Cell> cells;
  std::int64_t refused = 0, dropped = 0;  // candidates of cells: by the engine; by a lower bound
  Place place;
  std::vector<std::vector<Estimate>> estimates;  // by candidate and size
};

/// What was found for the same candidates and sizes (blocks, where sizes are those of blocks) on other numbers of
/// nodes, equally filled.
struct OtherNodes {
  std::vector<const SearchResult*> fewer, more;  // the nearest first
  bool others_follow = false;                    // this place will be one of those
};

}  // namespace tutti
