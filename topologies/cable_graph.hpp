#pragma once
// Any network, given as a list of cables.

#include <vector>

#include "topologies/fabric.hpp"

namespace tutti {

/// Nodes and switches by number; names only for messages.
struct CableList {
  struct Entry {
    int switch_a;
    int switch_b;
    int cables;
    Channel cable;  ///< each direction
  };
  std::vector<std::string> switches;
  std::vector<int> switch_of;  ///< by node
  std::vector<Entry> entries;
};

/// Reads lines node,NAME,SWITCH and cable,SWITCH,SWITCH[,COUNT[,BANDWIDTH_BYTES_PER_SECOND,LATENCY_SECONDS]]; empty
/// lines and lines starting with # are skipped. Every line ends, the last one too. Nodes are numbered in the order of
/// their lines; `cable` is for cables that give no figures. Throws InputError "ORIGIN:LINE: what was expected".
CableList parse_cables(const std::string& text, const std::string& origin, const Channel& cable);

/// Routing takes shortest paths in hops; among equally short next hops and parallel cables, the destination chooses,
/// or the hash; adaptive routing is refused.
/// Nothing keeps such routes free of deadlock. Switches are the leaves of placements; no groups. Memory grows with the
/// square of the number of switches, 2 bytes each.
class CableGraph final : public Fabric {
 public:
  /// Throws InputError where switches of two nodes are not connected, or beyond 16,384 switches.
  explicit CableGraph(const CableList& list, Routing routing = Routing::fixed);

  int switch_of(int node) const override { return switch_of_[node]; }
  /// Takes time in the length of the route and the number of cables at the switches on it.
  void route(int from_node, int to_node, std::int64_t destination, std::vector<LinkId>& into) const override;
  int leaf_of(int node) const override { return switch_of_[node]; }
  int leaves() const override { return switches(); }

 private:
  std::uint16_t hops(int from, int to) const { return hops_[static_cast<std::size_t>(to) * switches() + from]; }

  std::vector<int> switch_of_;
  std::vector<LinkId> first_out_;    ///< [switch], one more at the end: its run in out_
  std::vector<LinkId> out_;          ///< outgoing links, switch by switch
  std::vector<std::uint16_t> hops_;  ///< [to switch][from switch]
};

}  // namespace tutti
