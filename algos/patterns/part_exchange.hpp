#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "algos/patterns/level_parts.hpp"

namespace tutti {

// Who sends what to whom where ranks are divided into parts and each has, of some, what is for all: every rank sends to
// each part, in one message to the one with its number there, all that it has for that part's ranks. In a part of fewer
// ranks numbers go on from the first again.

using Ranks = std::vector<Rank>;  // ascending, but where it is told
using CountFromTo = std::function<Count(Rank from, Rank to)>;

/// Ranks that are together so far, and whose blocks each of them has, in the order in which they lie for one of these
/// ranks after the other.
struct Holders {
  Ranks ranks;
  std::vector<Ranks> origins;

  const Ranks& origins_of(Rank r) const { return origins[number_among(r, ranks)]; }
};
Holders all_with_their_own(int ranks);

/// What these have for a rank, or for all of a part.
Count sum_for(const CountFromTo& count, const Ranks& origins, Rank to);
Count sum_for(const CountFromTo& count, const Ranks& origins, const Ranks& part);

/// By the level, or, where there is none any more, each of the ranks.
std::vector<Ranks> parts_of(const Holders& whole, const std::optional<Level>& level, const PlaceOf& place);
const Ranks& part_with(const std::vector<Ranks>& parts, Rank r);

/// To whom rank r of the part `own` sends what is for which part, and from whom it gets what is for its own; itself
/// among them. Ascending: where parts have as many ranks each, those of its number, twice.
struct Target {
  Rank rank;
  const Ranks* part;
};
std::vector<Target> targets_of(const std::vector<Ranks>& parts, const Ranks& own, Rank r);
Ranks senders_to(const std::vector<Ranks>& parts, const Ranks& own, Rank r);

/// The part after that.
Holders after_exchange(const Holders& whole, const std::vector<Ranks>& parts, const Ranks& part);

/// From each of these ranks to each, where parts have as many ranks.
std::shared_ptr<const BlockCounts> counts_on_lane(const CountFromTo& count, const Holders& whole,
                                                  const std::vector<Target>& lane);
/// The same for a call: those of one thread that run side by side share them, since each by itself would take the
/// square of the lane's ranks.
std::shared_ptr<const BlockCounts> counts_on_lane(const Call& call, const Holders& whole,
                                                  const std::vector<Target>& lane);

/// Elements of a block of the call, an alltoallv. Valid as long as the call.
CountFromTo counts_of(const Call& call);

}  // namespace tutti
