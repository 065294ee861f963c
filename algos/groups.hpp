#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "algos/comm.hpp"

namespace tutti {

/// All ranks in an order, from the group of each at a level and its number there.
std::vector<Rank> in_order(GroupKind order, const std::vector<std::size_t>& group_of, const std::vector<Rank>& number);

/// The groups behind Comm::group and the like, made on demand from where the ranks are. Group ids are the same on every
/// rank. Not thread-safe.
class GroupTable {
 public:
  /// `place(rank, level)`: a number that ranks share exactly if they share the node (or whatever the level is). Throws
  /// InputError where there is no such level.
  GroupTable(int ranks, std::function<int(Rank, Level)> place) : ranks_(ranks), place_(std::move(place)) {}

  /// Of the ranks of `within`, one of this table's (nullptr: of all). nullptr where the rank is no member (of the
  /// leaders only). Valid as long as the table. Throws InputError among more than eleven million ranks.
  const Group* find(Rank rank, Level level, GroupKind kind, const Group* within);

 private:
  struct Groups {
    std::vector<Group> all;            // in order of their first ranks
    std::vector<std::size_t> of_rank;  // into all, by the number of the rank in what is divided
    std::vector<Group> peers;          // by their number in those
    std::vector<Rank> number;          // of each rank in its group
    Group leaders;
    std::map<GroupKind, Group> ordered;  // those that were asked for
  };
  Groups make(Level level, const Group* within) const;
  static const Group* order(Groups& groups, GroupKind kind);

  int ranks_;
  std::function<int(Rank, Level)> place_;
  std::map<std::pair<std::uint32_t, Level>, Groups> divided_;  // by the id of what is (0: all ranks)
};

}  // namespace tutti
