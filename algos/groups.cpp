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
    std::vector<Rank>& members = groups.all[position->second].members;
    const std::size_t number = members.size();
    members.push_back(r);
    if (groups.peers.size() == number) groups.peers.emplace_back();
    groups.peers[number].members.push_back(r);
    groups.of_rank.push_back(position->second);
    groups.number.push_back(static_cast<Rank>(number));
  }
  const bool equal = groups.peers.empty() || groups.peers.back().members.size() == groups.all.size();
  // Ids must not depend on which rank asked first: the first member's rank tells groups of a kind apart.
  const auto finish = [&](Group& group, GroupKind kind) {
    group.id = 1 + static_cast<std::uint32_t>(level) * 3 + static_cast<std::uint32_t>(kind) +
               9 * static_cast<std::uint32_t>(group.members.front());
    group.consecutive = consecutive;
    group.equal = equal;
  };
  for (Group& group : groups.all) finish(group, GroupKind::together);
  for (Group& group : groups.peers) finish(group, GroupKind::peers);
  finish(groups.leaders, GroupKind::leaders);
  return groups;
}

const Group* GroupTable::find(Rank rank, Level level, GroupKind kind) {
  auto found = levels_.find(level);
  if (found == levels_.end()) found = levels_.emplace(level, make(level)).first;
  const Groups& groups = found->second;
  const auto r = static_cast<std::size_t>(rank);
  if (kind == GroupKind::together) return &groups.all[groups.of_rank[r]];
  if (kind == GroupKind::peers) return &groups.peers[static_cast<std::size_t>(groups.number[r])];
  return groups.number[r] == 0 ? &groups.leaders : nullptr;
}

}  // namespace tutti
