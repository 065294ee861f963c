#include "algos/groups.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <unordered_map>

#include "base/error.hpp"

namespace tutti {
namespace {

// Those that come of a level.
constexpr auto kKinds = static_cast<std::uint32_t>(GroupKind::listed);
constexpr std::uint32_t kWays = (1u << kLevels) * kKinds;

/// Ids must not depend on which rank asked first: the first member's rank tells groups apart that came of one way.
void identify(Group& group, GroupKind kind, std::uint8_t levels) {
  group.kind = kind;
  group.levels = levels;
  group.id = 1 + levels * kKinds + static_cast<std::uint32_t>(kind) +
             kWays * static_cast<std::uint32_t>(group.members.front());
}

}  // namespace

std::vector<Rank> in_order(GroupKind order, const std::vector<std::size_t>& group_of, const std::vector<Rank>& number) {
  std::vector<Rank> ranks(group_of.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  if (order == GroupKind::reversed) std::reverse(ranks.begin(), ranks.end());
  const auto group = [&](Rank r) { return group_of[r]; };
  const auto turn = [&](Rank r) { return order == GroupKind::cyclic ? number[r] : 0; };
  if (order != GroupKind::reversed)
    std::stable_sort(ranks.begin(), ranks.end(),
                     [&](Rank a, Rank b) { return std::pair(turn(a), group(a)) < std::pair(turn(b), group(b)); });
  return ranks;
}

GroupTable::Groups GroupTable::make(Level level, const Group* within) const {
  constexpr Rank kMostRanks = std::numeric_limits<std::uint32_t>::max() / kWays - 1;
  if (ranks_ > kMostRanks)
    throw InputError("groups among " + std::to_string(ranks_) + " ranks: expected at most " +
                     std::to_string(kMostRanks));
  Groups groups;
  std::unordered_map<int, std::size_t> at;
  bool consecutive = true;
  const auto ranks = within ? static_cast<Rank>(within->members.size()) : ranks_;
  for (Rank i = 0; i < ranks; ++i) {
    const Rank r = within ? within->members[i] : i;
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
  const auto levels = static_cast<std::uint8_t>((within ? within->levels : 0) | 1u << static_cast<unsigned>(level));
  const auto finish = [&](Group& group, GroupKind kind) {
    identify(group, kind, levels);
    group.consecutive = consecutive;
    group.equal = equal;
  };
  for (Group& group : groups.all) finish(group, GroupKind::together);
  for (Group& group : groups.peers) finish(group, GroupKind::peers);
  finish(groups.leaders, GroupKind::leaders);
  return groups;
}

const Group* GroupTable::order(Groups& groups, GroupKind kind) {
  const auto [found, is_new] = groups.ordered.try_emplace(kind, groups.leaders);
  Group& group = found->second;
  if (is_new) {
    group.members = in_order(kind, groups.of_rank, groups.number);
    identify(group, kind, groups.leaders.levels);
    group.ascending = std::is_sorted(group.members.begin(), group.members.end());
  }
  return &group;
}

const Group* GroupTable::find(Rank rank, Level level, GroupKind kind, const Group* within) {
  const std::pair key{within ? within->id : 0, level};
  auto found = divided_.find(key);
  if (found == divided_.end()) found = divided_.emplace(key, make(level, within)).first;
  Groups& groups = found->second;
  const auto first = within ? within->members.begin() : std::vector<Rank>::const_iterator{};
  const auto i = static_cast<std::size_t>(within ? std::lower_bound(first, within->members.end(), rank) - first : rank);
  if (kind == GroupKind::together) return &groups.all[groups.of_rank[i]];
  if (kind == GroupKind::peers) return &groups.peers[groups.number[i]];
  if (kind == GroupKind::leaders) return groups.number[i] == 0 ? &groups.leaders : nullptr;
  return order(groups, kind);
}

}  // namespace tutti
