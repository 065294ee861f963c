#include "cli/link_load.hpp"

#include <algorithm>
#include <map>

namespace tutti::cli {

std::vector<BusyLink> busy_links(const Result& result, const Network& network, std::span<const int> core_of_rank) {
  std::vector<std::int64_t> bytes(network.links().size(), 0);
  std::vector<LinkId> route;
  for (const TraceEvent& event : result.trace) {
    if (event.kind != TraceEvent::Kind::message || event.rank == event.peer) continue;
    network.route(core_of_rank[event.rank], core_of_rank[event.peer], route);
    for (const LinkId link : route) bytes[link] += event.bytes;
  }
  std::vector<BusyLink> busy;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const Link& link = network.links()[i];
    if (bytes[i] > 0)
      busy.push_back({link.level.label(), network.name_of(static_cast<LinkId>(i)), bytes[i],
                      static_cast<double>(bytes[i]) / link.bandwidth_bytes_per_second});
  }
  std::stable_sort(busy.begin(), busy.end(),
                   [](const BusyLink& a, const BusyLink& b) { return a.busy_seconds > b.busy_seconds; });
  return busy;
}

std::optional<BusyLink> hottest_link(const Result& result, const Network& network, std::span<const int> core_of_rank) {
  std::vector<BusyLink> busy = busy_links(result, network, core_of_rank);
  if (busy.empty()) return std::nullopt;
  return std::move(busy.front());
}

nlohmann::ordered_json link_levels_json(const Network& network) {
  constexpr std::size_t kMostNames = 5;
  std::vector<LinkLevel> order;
  std::map<LinkLevel, std::vector<const Link*>> levels;
  for (const Link& link : network.links()) {
    std::vector<const Link*>& of_level = levels[link.level];
    if (of_level.empty()) order.push_back(link.level);
    of_level.push_back(&link);
  }
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const LinkLevel level : order) {
    std::vector<const Link*>& links = levels[level];
    std::stable_sort(links.begin(), links.end(), [](const Link* a, const Link* b) {
      return a->bandwidth_bytes_per_second < b->bandwidth_bytes_per_second;
    });
    const double usual = links[links.size() / 2]->bandwidth_bytes_per_second;
    const auto end = std::find_if(links.begin(), links.end(),
                                  [&](const Link* link) { return link->bandwidth_bytes_per_second >= usual; });
    nlohmann::ordered_json slow = nlohmann::ordered_json::array();
    for (auto link = links.begin(); link != end && slow.size() < kMostNames; ++link)
      slow.push_back({{"name", network.name_of(static_cast<LinkId>(*link - network.links().data()))},
                      {"bandwidth", (*link)->bandwidth_bytes_per_second}});
    const auto [quickest, longest] = std::minmax_element(links.begin(), links.end(), [](const Link* a, const Link* b) {
      return a->latency_seconds < b->latency_seconds;
    });
    all.push_back({{"level", level.label()},
                   {"links", links.size()},
                   {"shared", links.front()->shared},
                   {"least_bandwidth", links.front()->bandwidth_bytes_per_second},
                   {"median_bandwidth", usual},
                   {"most_bandwidth", links.back()->bandwidth_bytes_per_second},
                   {"least_latency", (*quickest)->latency_seconds},
                   {"most_latency", (*longest)->latency_seconds},
                   {"slower", end - links.begin()},
                   {"slowest", slow}});
  }
  return all;
}

}  // namespace tutti::cli
