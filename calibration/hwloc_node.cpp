#include "calibration/hwloc_node.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/error.hpp"
#include "calibration/in_child.hpp"
#include "calibration/xml_outline.hpp"
#include "json/text_file.hpp"

namespace tutti {
namespace {

struct Destroy {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;

// Of a process that only reads a file; hwloc takes milliseconds.
constexpr unsigned limit_seconds = 20;
constexpr std::size_t most_text_bytes = 16 << 20;
constexpr std::int64_t most_memory_bytes = std::int64_t{1} << 50;

Topology load(const std::filesystem::path& xml, const std::string& text) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw std::bad_alloc();
  Topology topology(raw);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  if (hwloc_topology_set_xmlbuffer(raw, text.c_str(), static_cast<int>(text.size()) + 1) != 0 ||
      hwloc_topology_load(raw) != 0)
    throw InputError(
        fmt::format("{}:1: hwloc {} cannot read this file, expected its XML of version 2; if hwloc 3 or later wrote "
                    "it, write it again "
                    "there with 'lstopo --export-xml-flags v2 FILE.xml'",
                    xml.string(), HWLOC_VERSION));
  return topology;
}

/// The cores (processing units where the file has no cores) in a set of them.
int count_cores(hwloc_topology_t topology, hwloc_const_cpuset_t set) {
  const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, set, HWLOC_OBJ_CORE);
  return cores > 0 ? cores : hwloc_get_nbobjs_inside_cpuset_by_type(topology, set, HWLOC_OBJ_PU);
}

using Parts = std::vector<hwloc_const_cpuset_t>;

/// Objects of a type inside a set that are not the same cores twice (as DRAM and HBM of one domain are).
Parts parts_of(hwloc_topology_t topology, hwloc_const_cpuset_t set, hwloc_obj_type_t type) {
  Parts parts;
  for (hwloc_obj_t object = nullptr;
       (object = hwloc_get_next_obj_inside_cpuset_by_type(topology, set, type, object)) != nullptr;)
    if (parts.empty() || !hwloc_bitmap_isequal(parts.back(), object->cpuset)) parts.push_back(object->cpuset);
  return parts;
}

class Alike {
 public:
  Alike(const std::filesystem::path& xml, const char* what) : xml_(xml), what_(what) {}
  void add(int count) {
    if (count_ != 0 && count != count_)
      throw InputError(fmt::format("{}:1: {} in one place and {} in another, expected as many {} everywhere",
                                   xml_.string(), count_, count, what_));
    count_ = count;
  }
  int count() const { return count_; }

 private:
  const std::filesystem::path& xml_;
  const char* what_;
  int count_ = 0;
};

std::vector<int> nic_domains(hwloc_topology_t topology, const Parts& domains) {
  std::vector<int> found;
  std::set<hwloc_obj_t> seen;
  for (hwloc_obj_t device = nullptr; (device = hwloc_get_next_osdev(topology, device)) != nullptr;) {
    if (device->attr->osdev.type != HWLOC_OBJ_OSDEV_OPENFABRICS || !seen.insert(device->parent).second) continue;
    const hwloc_obj_t place = hwloc_get_non_io_ancestor_obj(topology, device);
    int domain = 0;
    for (std::size_t i = domains.size(); i-- > 0;)
      if (place != nullptr && hwloc_bitmap_intersects(domains[i], place->cpuset)) domain = static_cast<int>(i);
    found.push_back(domain);
  }
  return found;
}

NodeParts parts_in(const std::filesystem::path& xml, const std::string& text) {
  const Topology owner = load(xml, text);
  hwloc_topology_t topology = owner.get();
  const hwloc_obj_t root = hwloc_get_root_obj(topology);

  Parts sockets = parts_of(topology, root->cpuset, HWLOC_OBJ_PACKAGE);
  if (sockets.empty()) sockets.push_back(root->cpuset);
  NodeParts node{};
  node.sockets = static_cast<int>(sockets.size());
  Alike domains_each(xml, "NUMA domains"), caches_each(xml, "last-level caches"), cores_each(xml, "cores");
  Parts all_domains;
  bool spanning = false;
  for (const hwloc_const_cpuset_t socket : sockets) {
    Parts domains = parts_of(topology, socket, HWLOC_OBJ_NUMANODE);
    if (domains.empty()) {
      domains.push_back(socket);
      spanning = true;
    }
    domains_each.add(static_cast<int>(domains.size()));
    for (const hwloc_const_cpuset_t domain : domains) {
      all_domains.push_back(domain);
      Parts caches = parts_of(topology, domain, HWLOC_OBJ_L3CACHE);
      if (caches.empty()) caches.push_back(domain);
      caches_each.add(static_cast<int>(caches.size()));
      for (const hwloc_const_cpuset_t cache : caches) cores_each.add(count_cores(topology, cache));
    }
  }
  node.domains_per_socket = domains_each.count();
  node.caches_per_domain = caches_each.count();
  node.cores_per_cache = cores_each.count();
  node.memory_bytes = static_cast<std::int64_t>(root->total_memory);
  node.nic_domains = nic_domains(topology, all_domains);

  if (spanning) node.notes.push_back(xml.filename().string() + ": sockets without a NUMA domain, each taken as one");
  if (node.nic_domains.empty())
    node.notes.push_back(xml.filename().string() + ": no high-speed network adapter in it; those of the base stay");

  const int counted = node.sockets * node.domains_per_socket * node.caches_per_domain * node.cores_per_cache;
  if (const int all = count_cores(topology, root->cpuset); counted != all || counted == 0)
    throw InputError(fmt::format("{}:1: {} cores in its sockets, domains and caches, but {} in all, expected the same",
                                 xml.string(), counted, all));
  return node;
}

std::string answer_of_child(const std::filesystem::path& xml, const std::string& text) {
  try {
    const NodeParts node = parts_in(xml, text);
    return nlohmann::json{
        {"shape", {node.sockets, node.domains_per_socket, node.caches_per_domain, node.cores_per_cache}},
        {"memory_bytes", node.memory_bytes},
        {"nic_domains", node.nic_domains},
        {"notes", node.notes}}
        .dump();
  } catch (const std::exception& error) {
    return nlohmann::json{{"refused", error.what()}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
}

}  // namespace

NodeParts read_hwloc_node(const std::filesystem::path& xml) {
  const std::optional<std::string> text = read_text_file(xml.string());
  if (!text || text->size() > most_text_bytes)
    throw InputError(fmt::format("{}:1: expected a readable hwloc XML file of at most 16 MiB", xml.string()));
  check_xml_outline(*text, xml.string());
  const std::optional<std::string> answer = in_child(limit_seconds, [&] { return answer_of_child(xml, *text); });
  if (!answer)
    throw InputError(fmt::format("{}:1: hwloc {} crashes on this file or does not end, expected what lstopo wrote",
                                 xml.string(), HWLOC_VERSION));
  const nlohmann::json found = nlohmann::json::parse(*answer);
  if (found.contains("refused")) throw InputError(found["refused"].get<std::string>());
  const std::vector<int> shape = found["shape"];
  NodeParts node{shape[0], shape[1], shape[2], shape[3], found["memory_bytes"], found["nic_domains"], found["notes"]};
  if (node.memory_bytes < 0 || node.memory_bytes > most_memory_bytes)
    throw InputError(fmt::format("{}:1: expected at most 2^50 bytes of memory", xml.string()));
  return node;
}

}  // namespace tutti
