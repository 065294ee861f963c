#include <algorithm>

#include "sim/fast/max_min_network.hpp"

// Which links are saturable: those of which more may be wanted than they have.

namespace tutti::fast {

/// Returns the feeder, or kCap where the flow is by itself.
inline LinkId MaxMinNetwork::want(Traffic& link, LinkId by, double cap) {
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
      const Feeder& feeder = link.feeders.push_back({by, 1, traffic_[by].capacity, cap}, memory_);
      link.wanted += feeder.wanted_together();
      return by;
    }
  }
  link.wanted += cap;
  return kCap;
}

inline void MaxMinNetwork::want_no_more(Traffic& link, LinkId by, double cap) {
  if (link.flows.empty()) {
    link.wanted = 0;  // so that rounding does not add up
    link.feeders.clear();
  } else if (by == kCap) {
    link.wanted -= cap;
  } else {
    Feeder* feeder = link.feeders.begin();
    while (feeder->link != by) ++feeder;
    link.wanted -= feeder->wanted_together();
    feeder->wanted -= cap;
    if (--feeder->flows > 0)
      link.wanted += feeder->wanted_together();
    else
      *feeder = link.feeders.back(), link.feeders.pop_back();
  }
}

/// It stays so: else flows would change groups again and again, where a little more is wanted than there is, and a
/// little less. Of who passes there is no account to be kept any more.
void MaxMinNetwork::set_saturable(LinkId id) {
  Traffic& link = traffic_[id];
  link.saturable = true;
  links_[id].fastest = kInfinity;  // until somebody looks
  for (const Passing& passing : link.flows)
    if (!passing.again && flows_[passing.slot].admitted) regroup(passing.slot, id);
  link.flows.clear();
  link.feeders.clear();
}

}  // namespace tutti::fast
