#include <algorithm>

#include "sim/fast/flows.hpp"

// Which links count: those of which more may be wanted than there is.

namespace tutti::fast {

/// Returns the feeder, or kCap where the flow is by itself.
inline LinkId Flows::want(SharedLink& link, LinkId by, double cap) {
  if (by != kCap) {
    for (Feeder& feeder : link.feeders) {
      if (feeder.link != by) continue;
      ++feeder.flows;
      link.wanted -= feeder.wanted_together();
      feeder.wanted += cap;
      link.wanted += feeder.wanted_together();
      return by;
    }
    if (link.feeders.size() < kMostFeeders) {
      const Feeder& feeder = link.feeders.emplace_back(Feeder{by, 1, links_[by].capacity, cap});
      link.wanted += feeder.wanted_together();
      return by;
    }
  }
  link.wanted += cap;
  return kCap;
}

inline void Flows::want_no_more(SharedLink& link, LinkId by, double cap) {
  if (link.flows.empty()) {
    link.wanted = 0;  // so that rounding does not add up
    link.feeders.clear();
  } else if (by == kCap) {
    link.wanted -= cap;
  } else {
    Feeder* feeder = link.feeders.data();
    while (feeder->link != by) ++feeder;
    link.wanted -= feeder->wanted_together();
    feeder->wanted -= cap;
    if (--feeder->flows > 0)
      link.wanted += feeder->wanted_together();
    else
      *feeder = link.feeders.back(), link.feeders.pop_back();
  }
  if (link.counts && !must_count(link)) count_no_more(link);
}

std::uint32_t Flows::repeats(Slot slot, LinkId id) {
  const Hop* const mine = hops(slot);
  return static_cast<std::uint32_t>(
      std::count_if(mine, mine + flows_[slot].hops, [id](const Hop& hop) { return hop.link == id; }));
}

void Flows::swap_hops(Slot slot, std::uint32_t a, std::uint32_t b) {
  std::swap(hops(slot)[a], hops(slot)[b]);
  for (const std::uint32_t i : {a, b}) links_[hops(slot)[i].link].flows[hops(slot)[i].place].hop = i;
}

void Flows::count(SharedLink& link) {
  link.counts = true;
  link.others = 0;
  link.fastest = std::numeric_limits<double>::infinity();  // until somebody looks
  for (const Passing& passing : link.flows) {
    Flow& flow = flows_[passing.slot];
    if (flow.admitted) link.others += rate(flow);
    swap_hops(passing.slot, passing.hop, flow.counting++);
  }
}

void Flows::count_no_more(SharedLink& link) {
  link.counts = false;
  for (const Passing& passing : link.flows) swap_hops(passing.slot, passing.hop, --flows_[passing.slot].counting);
}

}  // namespace tutti::fast
