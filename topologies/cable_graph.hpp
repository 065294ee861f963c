#pragma once
// Any network, given as a list of cables.

#include <map>
#include <utility>
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
  /// Of a switch's forwarding table: by which of the cables to which switch it sends what goes to a node.
  struct Forward {
    int on_switch;
    int node;
    int next_switch;
    int cable;  ///< from 0 on, among those that join the two, in the order of the entries
  };
  /// Of nodes with adapters on several switches, which hang on one that stands for these: what an adapter is on.
  struct Rail {
    int stand_in;
    int next_switch;
    int cable;  ///< as in Forward
  };
  std::vector<std::string> switches;
  std::vector<int> switch_of;  ///< by node
  std::vector<Entry> entries;
  std::vector<Forward> forwards = {};   ///< none: ways are found
  std::vector<Rail> rails = {};         ///< of each stand-in in the order of its nodes' adapters
  std::vector<std::string> nodes = {};  ///< names
};

/// Reads lines node,NAME,SWITCH and cable,SWITCH,SWITCH[,COUNT[,BANDWIDTH_BYTES_PER_SECOND,LATENCY_SECONDS]], and
/// route,SWITCH,NODE,NEXT_SWITCH[,CABLE] and rail,STAND_IN,NEXT_SWITCH[,CABLE] of switches, nodes and cables that
/// lines before have named; # begins a comment, empty lines are skipped. Every line ends, the last one too. Nodes are
/// numbered in the order of their lines; `cable` is for cables that give no figures. Throws InputError "ORIGIN:LINE:
/// what was expected".
CableList parse_cables(const std::string& text, const std::string& origin, const Channel& cable);

/// Where the list has forwarding tables, ways are theirs; all that a node can send to another must have one. Else
/// routing takes shortest paths in hops; among equally short next hops and parallel cables, the destination chooses,
/// or the hash; adaptive routing is refused. Each hop divides what the hops before it have chosen by, as D-mod-k does
/// (FatTree), and the last parallel cables are chosen as the first ones were: the graph of a fat tree has its routes.
/// What goes to a node's adapter enters its stand-in by that adapter's rail, where it can without passing another
/// stand-in, else by the next rail; it leaves a stand-in by the rail nearest to that, of several by the same number.
/// Nothing keeps such routes free of deadlock. Switches are the leaves of placements; no groups. Memory grows with the
/// square of the number of switches, 2 bytes each, and with forwarding tables by 4 for each switch and node.
class CableGraph final : public Fabric {
 public:
  /// Throws InputError where switches of two nodes are not connected, where forwarding tables leave a way out or go in
  /// a circle, or beyond 16,384 switches.
  explicit CableGraph(const CableList& list, Routing routing = Routing::fixed);

  int switch_of(int node) const override { return switch_of_[node]; }
  int nodes_beside(int node) const override { return nodes_on_[switch_of_[node]]; }
  /// Takes time in the length of the route and the number of cables at the switches on it.
  void route(int from_node, int to_node, std::int64_t destination, std::vector<LinkId>& into) const override;
  bool has_tables() const { return !table_.empty(); }
  /// As `route` does where the list has no forwarding tables, also where it has some.
  void find_route(int from_node, int to_node, std::int64_t destination, std::vector<LinkId>& into) const;
  int leaf_of(int node) const override { return switch_of_[node]; }
  int leaves() const override { return switches(); }

 private:
  void read_tables(const CableList& list);
  /// Where each line says that a cable leads from one switch to another.
  std::map<std::pair<int, int>, std::vector<LinkId>> links_between() const;
  void find_hops();
  bool has_rails(int on_switch) const { return !rails_.empty() && !rails_[on_switch].empty(); }
  /// Of the stand-in's rails, from the adapter's on, the first of those whose next switch is least `far`; no_link where
  /// all are unreached.
  template <typename Far>
  LinkId rail(int stand_in, std::int64_t nic, Far far) const;
  void spread(int from, int to, std::int64_t number, std::vector<LinkId>& into) const;
  std::uint16_t hops(int from, int to) const { return hops_[static_cast<std::size_t>(to) * switches() + from]; }

  std::vector<int> switch_of_;
  std::vector<int> nodes_on_;        ///< by switch
  std::vector<LinkId> first_out_;    ///< [switch], one more at the end: its run in out_
  std::vector<LinkId> out_;          ///< outgoing links, switch by switch, in the order of the switches they lead to
  std::vector<std::uint16_t> hops_;  ///< [to switch][from switch]; from `passing` on where a stand-in is passed
  std::vector<std::vector<LinkId>> rails_;  ///< by switch; empty: none at all
  std::vector<LinkId> table_;               ///< [node][switch]; empty: ways are found
};

}  // namespace tutti
