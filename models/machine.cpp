#include "models/machine.hpp"

#include <algorithm>
#include <stdexcept>

#include "json/text_file.hpp"

namespace tutti {

const Segment& Transport::segment(std::int64_t bytes) const {
  return *std::find_if(segments.begin(), segments.end() - 1, [&](const Segment& s) { return bytes <= s.up_to_bytes; });
}

double Compute::Rate::seconds(std::int64_t bytes) const {
  const double per_byte = bytes > cache_bytes ? seconds_per_byte_out_of_cache : seconds_per_byte;
  return overhead_seconds + static_cast<double>(bytes) * per_byte;
}

const Transport& Machine::transport(Distance distance) const {
  const std::optional<Transport>& found = transports[static_cast<std::size_t>(distance)];
  if (!found) throw std::out_of_range(name + ": no two cores are at distance " + to_string(distance));
  return *found;
}

double Machine::message_seconds(int from_core, int to_core, std::int64_t bytes) const {
  const Transport& cost = transport(network->distance(from_core, to_core));
  const Segment& segment = cost.segment(bytes);
  double seconds = cost.send_overhead_seconds + cost.receive_overhead_seconds + segment.latency_seconds;
  if (bytes > cost.eager_limit_bytes) seconds += cost.rendezvous_seconds;
  double bandwidth = segment.bandwidth_bytes_per_second;
  std::vector<LinkId> route;
  network->route(from_core, to_core, route);
  for (const LinkId id : route) {
    const Link& link = network->links()[id];
    seconds += link.latency_seconds;
    bandwidth = std::min(bandwidth, link.bandwidth_bytes_per_second);
  }
  return seconds + static_cast<double>(bytes) / bandwidth;
}

std::string machine_source(const std::string& name_or_path) {
  const std::vector<std::string> names = machine_names();
  if (std::find(names.begin(), names.end(), name_or_path) != names.end()) return machine_text(name_or_path);
  std::optional<std::string> text = read_text_file(name_or_path);
  if (!text || text->empty()) {
    std::string known;
    for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
    throw std::invalid_argument(name_or_path + ":1: expected a machine file, or one of " + known);
  }
  return *std::move(text);
}

Machine load_machine(const std::string& name_or_path) {
  return parse_machine(machine_source(name_or_path), name_or_path);
}

}  // namespace tutti
