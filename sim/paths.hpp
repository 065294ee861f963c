#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "algos/view.hpp"
#include "base/zeroed_array.hpp"
#include "sim/message_cost.hpp"
#include "sim/symmetry.hpp"

namespace tutti {

/// What messages from one rank to another pass; from a rank to itself: what its local work does.
struct Path : Route {
  Rank from = -1, to = -1;
  Distance distance{};
  double carried_bytes = 0;
};

/// Paths, remembered while there is room: two per rank, so that memory does not grow with the number of pairs.
class Paths {
 public:
  /// All must outlive it.
  Paths(const Machine& machine, const std::vector<int>& core_of_rank, const Symmetry& symmetry);
  /// `to` is one of the ranks that are simulated. Valid until the next call.
  Path& between(Rank from, Rank to) {
    Path& path = paths_[index(from, to)];
    if (path.from != from || path.to != to) find(path, from, to);
    return path;
  }
  void fetch_ahead(Rank from, Rank to) const {
    const std::size_t at = index(from, to);
    __builtin_prefetch(&paths_[at]);
    __builtin_prefetch(&links_[at * stride_]);
  }
  /// nullptr: it is not remembered.
  const Path* remembered(Rank from, Rank to) const {
    const Path& path = paths_[index(from, to)];
    return path.from == from && path.to == to ? &path : nullptr;
  }
  /// In order; of links that are alike, the one that stands for them.
  std::span<const LinkId> links(const Path& path) const {
    return {&links_[static_cast<std::size_t>(&path - paths_.data()) * stride_], path.hops};
  }
  /// Of each link that carried any, in the order of the network's.
  std::vector<std::pair<LinkId, double>> carried_bytes();

 private:
  /// Two places for those that lead to one rank: of these, one is mostly from itself.
  static std::size_t index(Rank from, Rank to) {
    const std::uint64_t distance = static_cast<std::uint32_t>(from - to);
    return 2 * static_cast<std::size_t>(to) + static_cast<std::size_t>(distance * 0x9E3779B97F4A7C15u >> 63);
  }
  void find(Path& path, Rank from, Rank to);
  void forget(Path& path);

  const Machine& machine_;
  const std::vector<int>& core_of_rank_;
  const Symmetry& symmetry_;
  std::vector<Path> paths_;
  std::size_t stride_ = 12;  // at least the longest path so far
  std::vector<LinkId> links_, route_;
  ZeroedArray<double> link_bytes_;
  std::vector<LinkId> carriers_;  // whose link_bytes_ are not 0
};

}  // namespace tutti
