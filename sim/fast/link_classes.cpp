#include "sim/fast/link_classes.hpp"

#include <cstdint>

namespace tutti::fast {
namespace {

constexpr LinkId kNone = ~LinkId{0};

bool have_same_figures(const Link& a, const Link& b) {
  return a.bandwidth_bytes_per_second == b.bandwidth_bytes_per_second && a.latency_seconds == b.latency_seconds &&
         a.shared == b.shared && a.level == b.level;
}

/// The links between switches, and what is known so far of where moves take them.
class Classes {
 public:
  Classes(std::span<const Link> links, const BlockMoves& moves, const std::vector<bool>& can_fill)
      : links_(links), moves_(moves), can_fill_(can_fill), places_(links.size()), row_(links.size()) {}

  /// The move from block 0 to `block` takes one link to the other. False where that contradicts what is known. Of links
  /// that are never full, nobody sees which one it is.
  bool join(LinkId from, LinkId to, int block) {
    if (!can_fill_[from] && !can_fill_[to]) return have_same_figures(links_[from], links_[to]);
    if (!can_fill_[from] || !can_fill_[to]) return false;
    if (places_[from].first == kNone) {
      places_[from] = {from, 0};
      row_[from] = members_.size();
      members_.push_back(from);
      members_.resize(members_.size() + static_cast<std::size_t>(moves_.blocks) - 1, kNone);
    }
    const Place place{places_[from].first, moves_.after_both(places_[from].block, block)};
    LinkId& member = members_[row_[place.first] + static_cast<std::size_t>(place.block)];
    if (member == kNone && places_[to].first == kNone && have_same_figures(links_[from], links_[to])) {
      member = to;
      places_[to] = place;
    }
    return member == to && places_[to].first == place.first && places_[to].block == place.block;
  }
  LinkId first(LinkId link) const { return places_[link].first == kNone ? link : places_[link].first; }

 private:
  struct Place {
    LinkId first = kNone;  // of the class
    int block = 0;         // the move to it takes the first link here
  };
  std::span<const Link> links_;
  const BlockMoves& moves_;
  const std::vector<bool>& can_fill_;
  std::vector<Place> places_;     // by link
  std::vector<std::size_t> row_;  // by first link: where its class begins in …
  std::vector<LinkId> members_;   // … the links of each class, by block
};

}  // namespace

std::optional<std::vector<LinkId>> link_classes(const Network& network, std::span<const int> nodes,
                                                const BlockMoves& moves, const std::vector<bool>& can_fill) {
  const Fabric& fabric = network.fabric();
  const auto links = network.links();
  const std::size_t between_switches = fabric.links().size();
  const auto nics = static_cast<int>(network.node_shape().nics.size());
  const int count = static_cast<int>(nodes.size());
  const auto node = [&](int place) { return nodes[place]; };
  Classes classes(links.first(between_switches), moves, can_fill);
  std::vector<LinkId> way, other;
  for (int from = 0; from < moves.size && between_switches > 0; ++from)
    for (int to = 0; to < count; ++to)
      for (int nic = 0; nic < nics && from != to; ++nic) {
        way.clear();
        fabric.route(node(from), node(to), fabric.destination(node(to), nic), way);
        for (int block = 0; block < moves.blocks; ++block) {
          const int from_there = node(moves.moved(from, block)), to_there = node(moves.moved(to, block));
          other.clear();
          fabric.route(from_there, to_there, fabric.destination(to_there, nic), other);
          if (other.size() != way.size()) return std::nullopt;
          for (std::size_t i = 0; i < way.size(); ++i)
            if (!classes.join(way[i], other[i], block)) return std::nullopt;
        }
      }
  std::vector<LinkId> first(links.size());
  for (LinkId link = 0; link < links.size(); ++link) first[link] = link < between_switches ? classes.first(link) : link;
  // All nodes have the same links, numbered alike.
  const std::size_t per_node = (links.size() - between_switches) / static_cast<std::size_t>(network.nodes());
  for (int place = 0; place < count; ++place)
    for (std::size_t i = 0; i < per_node; ++i)
      first[between_switches + static_cast<std::size_t>(node(place)) * per_node + i] = static_cast<LinkId>(
          between_switches + static_cast<std::size_t>(node(moves.representative(place))) * per_node + i);
  return first;
}

}  // namespace tutti::fast
