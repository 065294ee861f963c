#include "models/machine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "json/text_file.hpp"

namespace tutti {

const Segment& Transport::segment(std::int64_t bytes) const {
  return *std::find_if(segments.begin(), segments.end() - 1, [&](const Segment& s) { return bytes <= s.up_to_bytes; });
}

double Compute::Rate::seconds(std::int64_t bytes) const {
  return overhead_seconds + static_cast<double>(bytes) * seconds_per_byte_at(bytes, bytes);
}

double Compute::Rate::seconds_per_byte_at(std::int64_t operation_bytes, std::int64_t call_bytes) const {
  const std::int64_t worked_on = by_call ? call_bytes : operation_bytes;
  if (worked_on <= cache_bytes) return seconds_per_byte;
  if (worked_on / 4 > cache_bytes) return seconds_per_byte_out_of_cache;
  const double part = (worked_on / 2 > cache_bytes ? 2.0 : 1.0) / 3;
  return seconds_per_byte * std::pow(seconds_per_byte_out_of_cache / seconds_per_byte, part);
}

std::vector<double> Compute::Rate::possible_seconds_per_byte() const {
  if (cache_bytes == std::numeric_limits<std::int64_t>::max()) return {seconds_per_byte};
  std::vector<double> all{seconds_per_byte, seconds_per_byte_out_of_cache};
  for (const std::int64_t times : {2, 4})
    if (cache_bytes <= std::numeric_limits<std::int64_t>::max() / times) {
      const std::int64_t worked_on = times * std::max<std::int64_t>(cache_bytes, 1);
      all.push_back(seconds_per_byte_at(worked_on, worked_on));
    }
  return all;
}

const Transport& Machine::transport(Distance distance) const {
  const std::optional<Transport>& found = transports[static_cast<std::size_t>(distance)];
  if (!found) throw std::out_of_range(name + ": no two cores are at distance " + to_string(distance));
  return *found;
}

double Machine::message_seconds(int from_core, int to_core, std::int64_t bytes) const {
  const Transport& cost = transport(network->distance(from_core, to_core));
  const Segment& segment = cost.segment(bytes);
  const bool eager = cost.is_eager(bytes, true);
  double seconds = cost.send_seconds(bytes, true) + cost.receive_seconds(bytes, eager) + segment.latency_seconds;
  double narrowest = std::numeric_limits<double>::infinity(), links_seconds = 0;
  std::vector<LinkId> route;
  network->route(from_core, to_core, route);
  for (const LinkId id : route) {
    const Link& link = network->links()[id];
    links_seconds += link.latency_seconds;
    narrowest = std::min(narrowest, link.bandwidth_bytes_per_second);
  }
  const double bandwidth = std::min(segment.bandwidth_bytes_per_second, narrowest);
  // Between nodes a segment's rate is delay; the bytes flow as fast as the links and the connection let them.
  const double flow = network->distance(from_core, to_core) == Distance::network ? narrowest : bandwidth;
  const double waits = std::max(0.0, 1 / cost.connection_bytes_per_second - 1 / flow);
  if (!eager) seconds += cost.announcement_seconds(links_seconds) + cost.clearance_seconds(links_seconds);
  return seconds + links_seconds + static_cast<double>(bytes) * (1 / bandwidth + waits);
}

std::string machine_source(const std::string& name_or_path) {
  const std::vector<std::string> names = machine_names();
  if (std::find(names.begin(), names.end(), name_or_path) != names.end()) return machine_text(name_or_path);
  std::optional<std::string> text = read_text_file(name_or_path);
  if (!text || text->empty()) {
    std::string known;
    for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
    throw InputError(name_or_path + ":1: expected a machine file, or one of " + known +
                     did_you_mean(name_or_path, names));
  }
  return *std::move(text);
}

Machine load_machine(const std::string& name_or_path) {
  return parse_machine(machine_source(name_or_path), name_or_path);
}

}  // namespace tutti
