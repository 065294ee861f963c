#pragma once

#include <functional>
#include <map>
#include <vector>

#include "algos/comm.hpp"

namespace tutti {

/// The groups behind Comm::group, Comm::leaders and Comm::peers, made on demand from where the ranks are. Group ids are
/// the same on every rank. Not thread-safe.
class GroupTable {
 public:
  /// `place(rank, level)`: a number that ranks share exactly if they share the node, socket or NUMA domain.
  GroupTable(int ranks, std::function<int(Rank, Level)> place) : ranks_(ranks), place_(std::move(place)) {}

  /// nullptr where the rank is no member (of the leaders only). Valid as long as the table.
  const Group* find(Rank rank, Level level, GroupKind kind);

 private:
  struct Groups {
    std::vector<Group> all;            // in order of their first ranks
    std::vector<std::size_t> of_rank;  // into all
    std::vector<Group> peers;          // by their number in those
    std::vector<Rank> number;          // of each rank in its group
    Group leaders;
  };
  Groups make(Level level) const;

  int ranks_;
  std::function<int(Rank, Level)> place_;
  std::map<Level, Groups> levels_;
};

}  // namespace tutti
