#pragma once

#include "algos/blocks.hpp"
#include "algos/patterns/mixed_radix.hpp"

namespace tutti {

/// Groups of ranks that follow one another, for algorithms that want a number of ranks whose prime factors are at most
/// `radix`: the first factor of the largest such number says how many ranks of each group are holders, the first of it;
/// others belong to the group, too.
struct UnevenGroups {
  UnevenGroups(int size, std::int64_t radix)
      : smooth(largest_smooth(size, radix)),
        holders(smooth > 1 ? mixed_radices(smooth, radix).front() : 1),
        groups(Blocks::split(size, smooth / holders)) {}
  Rank first(int group) const { return static_cast<Rank>(groups.first(group)); }
  int members(int group) const { return static_cast<int>(groups.count(group)); }

  int smooth, holders;
  Blocks groups;  // of ranks
};

/// Each holder reduces its part of what those of its group have in `vector`, in order, in the vector itself.
Task reduce_to_holders(Comm comm, UnevenGroups uneven, View vector);
/// Each holder gives its part to all of its group.
Task collect_from_holders(Comm comm, UnevenGroups uneven, View vector);

}  // namespace tutti
