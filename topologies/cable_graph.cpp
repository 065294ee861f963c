#include "topologies/cable_graph.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/error.hpp"

namespace tutti {
namespace {

constexpr int most_switches = 16384;
constexpr LinkId no_link = std::numeric_limits<LinkId>::max();
constexpr std::uint16_t unreached = std::numeric_limits<std::uint16_t>::max();
constexpr int passing = most_switches;  // added to the hops of ways for each stand-in that they pass
constexpr int most_passed = 3;

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
  // The same number leads to the same switch from everywhere, whatever the order of the list.
  for (int s = 0; s < switches; ++s)
    std::stable_sort(out_.begin() + first_out_[s], out_.begin() + first_out_[s + 1],
                     [&](LinkId a, LinkId b) { return cables()[a].to_switch < cables()[b].to_switch; });
  if (!list.rails.empty()) {
    const auto between = links_between();
    rails_.resize(list.switches.size());
    for (const CableList::Rail& one : list.rails)
      rails_[one.stand_in].push_back(
          between.at({one.stand_in, one.next_switch}).at(static_cast<std::size_t>(one.cable)));
  }
  find_hops();
  const std::set<int> with_nodes(switch_of_.begin(), switch_of_.end());
  for (const int from : with_nodes)
    for (const int to : with_nodes)
      if (hops(from, to) == unreached)
        throw InputError("graph: expected a way from switch " + list.switches[from] + " to switch " +
                         list.switches[to]);
  if (!list.forwards.empty()) read_tables(list);
}

std::map<std::pair<int, int>, std::vector<LinkId>> CableGraph::links_between() const {
  std::map<std::pair<int, int>, std::vector<LinkId>> between;
  for (LinkId link = 0; link < cables().size(); ++link)
    between[{cables()[link].from_switch, cables()[link].to_switch}].push_back(link);
  return between;
}

// Cables join both ways, so that the hops from a switch are the hops to it. Hosts pass nothing on from one of their
// switches to another, as long as there is another way.
void CableGraph::find_hops() {
  const int all = switches();
  hops_.assign(static_cast<std::size_t>(all) * all, unreached);
  std::vector<int> reached, stand_ins;
  for (int to = 0; to < all; ++to) {
    std::uint16_t* hops_to = hops_.data() + static_cast<std::size_t>(to) * all;
    hops_to[to] = 0;
    reached.assign(1, to);
    for (int passed = 0; !reached.empty() && passed < most_passed; ++passed) {
      stand_ins.clear();
      for (std::size_t i = 0; i < reached.size(); ++i)
        for (LinkId out = first_out_[reached[i]]; out < first_out_[reached[i] + 1]; ++out) {
          const int other = cables()[out_[out]].to_switch;
          if (hops_to[other] != unreached) continue;
          hops_to[other] = static_cast<std::uint16_t>(hops_to[reached[i]] % passing + 1 + passed * passing);
          (has_rails(other) ? stand_ins : reached).push_back(other);
        }
      std::swap(reached, stand_ins);
    }
  }
}

void CableGraph::read_tables(const CableList& list) {
  if (routing() != Routing::fixed) throw InputError("graph: expected no routing beside a list with routes");
  const auto between = links_between();
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
  if (!has_tables()) return find_route(from_node, to_node, destination, into);
  for (int at = switch_of_[from_node]; at != switch_of_[to_node]; at = cables()[into.back()].to_switch)
    into.push_back(table_[static_cast<std::size_t>(to_node) * switches() + at]);
}

void CableGraph::find_route(int from_node, int to_node, std::int64_t destination, std::vector<LinkId>& into) const {
  const int from = switch_of_[from_node], to = switch_of_[to_node];
  if (from == to) return;
  const std::int64_t nic = std::max<std::int64_t>(0, destination - to_node) / nodes_beside(to_node);
  int at = from, end = to;
  const LinkId from_end = rail(to, nic, [&](int next) { return hops(from, next) < passing ? 0 : unreached; });
  if (from_end != no_link) end = cables()[from_end].to_switch;
  // The rail of the same number where all are as near; lists may number those of one plane differently.
  const LinkId first =
      rail(from, nic, [&](int next) { return hops(next, end) < passing ? hops(next, end) : unreached; });
  if (first != no_link) {
    into.push_back(first);
    at = cables()[first].to_switch;
  }
  spread(at, end, chooser(from_node, destination), into);
  if (from_end != no_link) into.push_back(from_end ^ 1);  // the cable's other direction
}

template <typename Far>
LinkId CableGraph::rail(int stand_in, std::int64_t nic, Far far) const {
  if (!has_rails(stand_in)) return no_link;
  const std::vector<LinkId>& rails = rails_[stand_in];
  LinkId nearest = no_link;
  int least = unreached;
  for (std::size_t i = 0; i < rails.size(); ++i) {
    const LinkId one = rails[(static_cast<std::size_t>(nic) + i) % rails.size()];
    if (const int its = far(cables()[one].to_switch); its < least) least = its, nearest = one;
  }
  return nearest;
}

void CableGraph::spread(int from, int to, std::int64_t number, std::vector<LinkId>& into) const {
  // What is left to choose by once ways before it are chosen; beyond all nodes nothing would be, and it begins again.
  const std::int64_t most = routing() == Routing::hashed ? std::int64_t{1} << 40 : nodes();
  struct Hop {
    std::int64_t divisor, switches;
  };
  std::vector<Hop> hops_before;
  std::int64_t divisor = 1;
  for (int at = from; at != to;) {
    const std::uint16_t here = hops(at, to);
    const auto run_end = [&](LinkId i) {  // of the cables that lead to the same switch
      const int next = cables()[out_[i]].to_switch;
      while (i < first_out_[at + 1] && cables()[out_[i]].to_switch == next) ++i;
      return i;
    };
    const auto hops_after = [&](LinkId i) {
      const int next = cables()[out_[i]].to_switch;
      const bool leads_on = next == to || here >= passing || !has_rails(next);
      return leads_on ? hops(next, to) : unreached;
    };
    std::uint16_t fewest = unreached;
    std::int64_t ways = 0;
    for (LinkId i = first_out_[at]; i < first_out_[at + 1]; i = run_end(i)) {
      const std::uint16_t after = hops_after(i);
      if (after < fewest) fewest = after, ways = 0;
      ways += after == fewest;
    }
    if (divisor >= most) divisor = 1;
    LinkId begin = first_out_[at];
    for (std::int64_t skip = number / divisor % ways;; begin = run_end(begin))
      if (hops_after(begin) == fewest && skip-- == 0) break;
    const auto parallel = static_cast<std::int64_t>(run_end(begin) - begin);
    // On the way down a cable is taken as on the way up from the same level.
    const std::size_t level_below = here - std::size_t{1};
    const bool is_down = ways == 1 && level_below < hops_before.size();
    const Hop chosen_by = is_down ? hops_before[level_below] : Hop{divisor, ways};
    into.push_back(out_[begin + static_cast<LinkId>(number / chosen_by.divisor / chosen_by.switches % parallel)]);
    hops_before.push_back({divisor, ways});
    if (!is_down) divisor *= ways * parallel;
    at = cables()[into.back()].to_switch;
  }
}

}  // namespace tutti
