#include "algos/groups.hpp"

#include <algorithm>
#include <set>

namespace tutti {

const Group* GroupTable::find(Rank rank, Level level, bool leaders) {
  const int here = leaders ? 0 : place_(rank, level);
  auto& group = groups_[{level, leaders, here}];
  if (!group) {
    group = std::make_unique<Group>();
    // The id must not depend on which rank asked first: the first member's rank tells groups of a level apart.
    std::set<int> seen;
    for (Rank r = 0; r < ranks_; ++r) {
      const bool first_there = leaders && seen.insert(place_(r, level)).second;
      if (leaders ? first_there : place_(r, level) == here) group->members.push_back(r);
    }
    const auto kind = static_cast<std::uint32_t>(level) * 2 + (leaders ? 1 : 0);
    group->id = 1 + kind + 6 * static_cast<std::uint32_t>(group->members.front());
  }
  return std::binary_search(group->members.begin(), group->members.end(), rank) ? group.get() : nullptr;
}

}  // namespace tutti
