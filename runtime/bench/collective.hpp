#pragma once

#include <string>

#include "runtime/bench/samples.hpp"

namespace tutti::bench {

struct CollectiveRequest {
  Collective collective = Collective::barrier;
  std::string algorithm;   // empty: as the team chooses
  std::int64_t bytes = 0;  // total (docs/formats.md); blocks are rounded down to whole elements
  Rank root = 0;
  std::string counts;                                // of an irregular collective (BlockCounts::from); empty: equal
  std::shared_ptr<const Neighborhood> neighborhood;  // of a collective among neighbours
  std::shared_ptr<const BlockCounts> given;          // counts themselves, in place of `counts` and `bytes`
  bool fresh = false;                                // every repetition on other memory, until 64 MiB have been through
  bool check = true;  // compare the results of one call before and one after the measurement
  double budget_seconds = 0.3;
};

struct CollectiveRow {
  std::string algorithm;  // that ran, with its parameters
  std::int64_t bytes_run = 0;
  Summary summary;
  bool by_table = false;  // a rule of the team's table chose it
};

/// All ranks together, with the same request. Reductions sum floats, the rest moves bytes; each repetition starts after
/// a barrier. Throws std::runtime_error, on the ranks that see it, where a result is wrong, and as Team::run.
CollectiveRow measure(Team& team, const CollectiveRequest& request);

}  // namespace tutti::bench
