#include "topologies/cable_graph.hpp"

#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <limits>
#include <map>
#include <set>

#include "base/error.hpp"

namespace tutti {
namespace {

constexpr int most_switches = 16384;
constexpr LinkId no_link = std::numeric_limits<LinkId>::max();
constexpr std::uint16_t unreached = std::numeric_limits<std::uint16_t>::max();

}  // namespace

CableGraph::CableGraph(const CableList& list, Routing routing) : switch_of_(list.switch_of) {
  if (routing == Routing::adaptive) throw InputError("graph: expected routing that is not adaptive");
  set_routing(routing);
  if (list.switch_of.empty()) throw InputError("graph: expected at least one node");
  check_count(static_cast<std::int64_t>(list.switch_of.size()), 1, "graph: nodes");
  const int switches = static_cast<int>(list.switches.size());
  if (switches > most_switches)
    throw InputError("graph: expected at most " + std::to_string(most_switches) + " switches, got " +
                     std::to_string(switches));
  set_size(static_cast<int>(list.switch_of.size()), switches);
  nodes_on_.resize(list.switches.size());
  for (const int its_switch : switch_of_) ++nodes_on_[its_switch];
  for (const CableList::Entry& entry : list.entries) {
    check_channel(entry.cable, "graph: cable");
    check_count(entry.cables, 1, "graph: parallel cables");
    check_count(static_cast<std::int64_t>(links().size()) + 2LL * entry.cables, 0, "graph: links");
    for (int cable = 0; cable < entry.cables; ++cable)
      for (const auto& [from, to] : {std::pair(entry.switch_a, entry.switch_b), {entry.switch_b, entry.switch_a}})
        add_link(from, to, entry.cable,
                 "cable/" + list.switches[from] + "/" + list.switches[to] + "/" + std::to_string(links().size()),
                 LinkLevel::Kind::cable);
  }

  first_out_.assign(switches + 1, 0);
  for (const Cable& cable : cables()) ++first_out_[cable.from_switch + 1];
  for (int s = 0; s < switches; ++s) first_out_[s + 1] += first_out_[s];
  out_.resize(cables().size());
  std::vector<LinkId> next = first_out_;
  for (LinkId link = 0; link < cables().size(); ++link) out_[next[cables()[link].from_switch]++] = link;

  // Cables join both ways, so that the hops from a switch are the hops to it.
  std::vector<std::pair<int, int>> edges;
  for (const Cable& cable : cables()) edges.emplace_back(cable.from_switch, cable.to_switch);
  const boost::compressed_sparse_row_graph<boost::directedS> graph(boost::edges_are_unsorted_multi_pass, edges.begin(),
                                                                   edges.end(), switches);
  hops_.assign(static_cast<std::size_t>(switches) * switches, unreached);
  for (int to = 0; to < switches; ++to) {
    std::uint16_t* hops_to = hops_.data() + static_cast<std::size_t>(to) * switches;
    hops_to[to] = 0;
    boost::breadth_first_search(
        graph, to, boost::visitor(boost::make_bfs_visitor(boost::record_distances(hops_to, boost::on_tree_edge()))));
  }
  for (std::size_t node = 1; node < switch_of_.size(); ++node)
    if (hops(switch_of_[0], switch_of_[node]) == unreached)
      throw InputError("graph: expected a way from switch " + list.switches[switch_of_[0]] + " to switch " +
                       list.switches[switch_of_[node]]);
  if (!list.forwards.empty()) read_tables(list);
}

void CableGraph::read_tables(const CableList& list) {
  if (routing() != Routing::fixed) throw InputError("graph: expected no routing beside a list with routes");
  std::map<std::pair<int, int>, std::vector<LinkId>> between;
  for (LinkId link = 0; link < cables().size(); ++link)
    between[{cables()[link].from_switch, cables()[link].to_switch}].push_back(link);
  const auto all = static_cast<std::size_t>(switches());
  table_.assign(switch_of_.size() * all, no_link);
  for (const CableList::Forward& one : list.forwards)
    table_[static_cast<std::size_t>(one.node) * all + one.on_switch] =
        between.at({one.on_switch, one.next_switch}).at(static_cast<std::size_t>(one.cable));

  const std::set<int> with_nodes(switch_of_.begin(), switch_of_.end());
  std::vector<std::size_t> arrives(all);  // after which node + 1 this was found out
  for (std::size_t node = 0; node < switch_of_.size(); ++node) {
    arrives[switch_of_[node]] = node + 1;
    for (const int from : with_nodes) {
      std::vector<int> way;
      for (int at = from; arrives[at] != node + 1;) {
        way.push_back(at);
        const LinkId link = table_[node * all + static_cast<std::size_t>(at)];
        if (link == no_link)
          throw InputError("graph: expected a route on switch " + list.switches[at] + " to node " + list.nodes[node]);
        at = cables()[link].to_switch;
        if (way.size() > all)
          throw InputError("graph: expected routes that arrive; those from switch " + list.switches[from] +
                           " to node " + list.nodes[node] + " go in a circle");
      }
      for (const int one : way) arrives[one] = node + 1;
    }
  }
}

void CableGraph::route(int from_node, int to_node, std::int64_t destination, std::vector<LinkId>& into) const {
  const int to = switch_of_[to_node];
  if (!table_.empty()) {
    for (int at = switch_of_[from_node]; at != to; at = cables()[into.back()].to_switch)
      into.push_back(table_[static_cast<std::size_t>(to_node) * switches() + at]);
    return;
  }
  destination = chooser(from_node, destination);
  for (int at = switch_of_[from_node]; at != to;) {
    const auto nearer = [&](LinkId link) { return hops(cables()[link].to_switch, to) + 1 == hops(at, to); };
    std::int64_t choices = 0;
    for (LinkId i = first_out_[at]; i < first_out_[at + 1]; ++i) choices += nearer(out_[i]);
    std::int64_t skip = destination % choices;
    LinkId i = first_out_[at];
    while (!nearer(out_[i]) || skip-- > 0) ++i;
    into.push_back(out_[i]);
    at = cables()[out_[i]].to_switch;
  }
}

}  // namespace tutti
