#include "algos/groups.hpp"

#include <unordered_map>

namespace tutti {

GroupTable::Groups GroupTable::make(Level level) const {
  Groups groups;
  std::unordered_map<int, std::size_t> at;
  bool consecutive = true;
  for (Rank r = 0; r < ranks_; ++r) {
    const auto [position, is_new] = at.try_emplace(place_(r, level), groups.all.size());
    if (is_new) {
      groups.all.emplace_back();
      groups.leaders.members.push_back(r);
    } else {
      consecutive = consecutive && groups.of_rank.back() == position->second;
    }
    groups.all[position->second].members.push_back(r);
    groups.of_rank.push_back(position->second);
  }
  // Ids must not depend on which rank asked first: the first member's rank tells groups of a level apart.
  const auto finish = [&](Group& group, bool is_leaders) {
    const auto kind = static_cast<std::uint32_t>(level) * 2 + (is_leaders ? 1 : 0);
    group.id = 1 + kind + 6 * static_cast<std::uint32_t>(group.members.front());
    group.consecutive = consecutive;
  };
  for (Group& group : groups.all) finish(group, false);
  finish(groups.leaders, true);
  return groups;
}

const Group* GroupTable::find(Rank rank, Level level, bool leaders) {
  auto found = levels_.find(level);
  if (found == levels_.end()) found = levels_.emplace(level, make(level)).first;
  const Groups& groups = found->second;
  const Group& its = groups.all[groups.of_rank[static_cast<std::size_t>(rank)]];
  if (!leaders) return &its;
  return its.members.front() == rank ? &groups.leaders : nullptr;
}

}  // namespace tutti
