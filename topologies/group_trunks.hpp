#pragma once
// The cables between groups under adaptive routing, as trunks; dragonfly and dragonfly+ alike.

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "topologies/fabric.hpp"

namespace tutti {

/// Each two groups are joined by a trunk each way, as wide as the cables between them. Of what goes from one group to
/// another, up to `detour_share` takes the way over a third group (Valiant's), as far as the direct cables are full;
/// the direct trunk is then their width / (1 - detour_share). All that leaves a group, and all that comes into one,
/// shares the group's cables. (Routers that make detours where the direct way is loaded: Kim, Dally, Scott, Abts:
/// "Technology-driven, highly-scalable dragonfly topology", ISCA 2008, section 4.) Left out is what detours take from
/// the groups that they pass: where all groups send all they have to few others, that is up to half of the cables. With
/// two groups there is no third one, and no detours.
struct GroupTrunks {
  int groups;
  LinkId first;         ///< the first trunk's number
  double detour_share;  ///< 0 to 1

  struct Trunk {
    int from_group, to_group;
    double cables;  ///< as wide as so many
    bool waits;     ///< a message waits for the cable here
    Reach reach;
    std::string name;

    Channel of(Channel cable) const {
      if (!waits) cable.latency_seconds = 0;
      return cable;
    }
  };

  bool has_detours() const { return groups > 2 && detour_share > 0; }

  /// All of them, in order: direct ones by pair, then, where there are detours, out of each group, then into each.
  template <class Add>
  void each(int cables, int nodes_per_group, const std::string& fabric, const Add& add) const {
    if (!(detour_share >= 0 && detour_share <= 1))
      throw InputError(fabric + ": expected a share of detours of 0 to 1, got " + std::to_string(detour_share));
    const int places = groups * nodes_per_group;
    const double all = static_cast<double>(groups - 1) * cables;
    const double direct = has_detours() ? std::min(all, cables / (1 - detour_share)) : cables;
    const auto begin = [&](int group) { return group * nodes_per_group; };
    for (int from = 0; from < groups; ++from)
      for (int to = 0; to < groups; ++to)
        if (from != to)
          add(Trunk{from,
                    to,
                    direct,
                    true,
                    {begin(from), begin(from + 1), begin(to), begin(to + 1)},
                    "global/" + std::to_string(from) + "/" + std::to_string(to)});
    for (const bool out : {true, false})
      for (int group = 0; group < groups && has_detours(); ++group) {
        const int other = group == 0 ? 1 : 0;
        add(Trunk{
            out ? group : other, out ? other : group, all, false,
            out ? Reach{begin(group), begin(group + 1), 0, places} : Reach{0, places, begin(group), begin(group + 1)},
            (out ? "global/out/" : "global/in/") + std::to_string(group)});
      }
  }

  void route(int from_group, int to_group, std::vector<LinkId>& into) const {
    if (from_group == to_group) return;
    const LinkId pairs = first + static_cast<LinkId>(groups) * static_cast<LinkId>(groups - 1);
    if (has_detours()) into.push_back(pairs + static_cast<LinkId>(from_group));
    into.push_back(first + static_cast<LinkId>(from_group) * static_cast<LinkId>(groups - 1) +
                   static_cast<LinkId>(to_group < from_group ? to_group : to_group - 1));
    if (has_detours()) into.push_back(pairs + static_cast<LinkId>(groups + to_group));
  }
};

/// Only adaptive routing makes any.
inline void refuse_detours(double share, const std::string& fabric) {
  if (share != 0) throw InputError(fabric + ": expected adaptive routing beside a share of detours");
}

}  // namespace tutti
