#include <algorithm>

#include "sim/fast/flows.hpp"

// Which links count: those of which more may be wanted than there is.

namespace tutti::fast {

/// The narrow link that is nearest; where several are as narrow as can be, never this one for that one and that one for
/// this.
LinkId Flows::feeder_of(std::size_t hop, std::size_t first, std::size_t last) const {
  if (hop == last) return kCap;
  return route_[hop < first ? first : last];
}

/// Returns the feeder, or kCap where the flow is by itself.
LinkId Flows::want(SharedLink& link, LinkId by, double cap) {
  auto feeder =
      std::find_if(link.feeders.begin(), link.feeders.end(), [&](const Feeder& other) { return other.link == by; });
  if (by == kCap || (feeder == link.feeders.end() && link.feeders.size() >= kMostFeeders)) {
    link.wanted += cap;
    return kCap;
  }
  if (feeder == link.feeders.end()) feeder = link.feeders.insert(feeder, {by, 0, 0});
  const double most = links_[by].capacity;
  link.wanted -= std::min(most, feeder->wanted);
  feeder->wanted += cap;
  ++feeder->flows;
  link.wanted += std::min(most, feeder->wanted);
  return by;
}

void Flows::want_no_more(SharedLink& link, const Hop& hop, double cap) {
  if (link.flows.empty()) {
    link.wanted = 0;  // so that rounding does not add up
    link.feeders.clear();
  } else if (hop.feeder == kCap) {
    link.wanted -= cap;
  } else {
    const auto feeder = std::find_if(link.feeders.begin(), link.feeders.end(),
                                     [&](const Feeder& other) { return other.link == hop.feeder; });
    const double most = links_[hop.feeder].capacity;
    link.wanted -= std::min(most, feeder->wanted);
    feeder->wanted -= cap;
    if (--feeder->flows > 0)
      link.wanted += std::min(most, feeder->wanted);
    else
      *feeder = link.feeders.back(), link.feeders.pop_back();
  }
  count_no_more(link);
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

/// Unless it must.
void Flows::count_no_more(SharedLink& link) {
  if (!link.counts || link.held > 0 || link.wanted > link.capacity * (1 + kNegligible)) return;
  link.counts = false;
  for (const Passing& passing : link.flows) swap_hops(passing.slot, passing.hop, --flows_[passing.slot].counting);
}

}  // namespace tutti::fast
