#include "cli/link_load.hpp"

#include <vector>

namespace tutti::cli {

std::optional<HottestLink> hottest_link(const Result& result, const Network& network,
                                        std::span<const int> core_of_rank) {
  std::vector<std::int64_t> bytes(network.links().size(), 0);
  std::vector<LinkId> route;
  for (const TraceEvent& event : result.trace) {
    if (event.kind != TraceEvent::Kind::message || event.rank == event.peer) continue;
    network.route(core_of_rank[static_cast<std::size_t>(event.rank)],
                  core_of_rank[static_cast<std::size_t>(event.peer)], route);
    for (const LinkId link : route) bytes[link] += event.bytes;
  }
  std::optional<HottestLink> hottest;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const Link& link = network.links()[i];
    const double seconds = static_cast<double>(bytes[i]) / link.bandwidth_bytes_per_second;
    if (bytes[i] > 0 && (!hottest || seconds > hottest->busy_seconds))
      hottest = HottestLink{link.level, link.name, bytes[i], seconds};
  }
  return hottest;
}

}  // namespace tutti::cli
