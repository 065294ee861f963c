#include "runtime/layout.hpp"

#include <hwloc.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "runtime/error.hpp"
#include "runtime/host.hpp"

namespace tutti {
namespace {

struct Freed {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Topology = std::unique_ptr<hwloc_topology, Freed>;
using Cores = std::unique_ptr<hwloc_bitmap_s, Freed>;

std::string text_of(hwloc_const_bitmap_t set) {
  std::string text(static_cast<std::size_t>(hwloc_bitmap_list_snprintf(nullptr, 0, set)) + 1, '\0');
  hwloc_bitmap_list_snprintf(text.data(), text.size(), set);
  text.pop_back();
  return text;
}

/// The domains of a type that the cores are in: "0", or "0,1" for cores that lie in two of them.
std::string domains(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_bitmap_t cores) {
  std::string text;
  for (hwloc_obj_t one = nullptr; (one = hwloc_get_next_obj_by_type(topology, type, one));)
    if (hwloc_bitmap_intersects(one->cpuset, cores))
      text += (text.empty() ? "" : ",") + std::to_string(one->logical_index);
  return text;
}

/// Lines: node, socket, NUMA domain, last-level cache, cores.
std::string describe_here() {
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) != 0) throw TeamError("hwloc cannot be used");
  const Topology topology(made);
  if (hwloc_topology_load(made) != 0) throw TeamError("hwloc cannot read this machine's topology");
  const Cores cores(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(made, cores.get(), HWLOC_CPUBIND_PROCESS) != 0 || hwloc_bitmap_iszero(cores.get()))
    hwloc_bitmap_copy(cores.get(), hwloc_topology_get_topology_cpuset(made));
  return shared_memory_domain() + '\n' + domains(made, HWLOC_OBJ_PACKAGE, cores.get()) + '\n' +
         domains(made, HWLOC_OBJ_NUMANODE, cores.get()) + '\n' + domains(made, HWLOC_OBJ_L3CACHE, cores.get()) + '\n' +
         text_of(cores.get());
}

}  // namespace

int TeamLayout::ranks_here() const { return static_cast<int>(std::count(node.begin(), node.end(), node[rank])); }
int TeamLayout::nodes() const { return 1 + *std::max_element(node.begin(), node.end()); }
RanksOnNodes TeamLayout::on_nodes() const {
  std::vector<int> ranks(static_cast<std::size_t>(nodes()));
  for (const int each : node) ++ranks[each];
  const auto [fewest, most] = std::minmax_element(ranks.begin(), ranks.end());
  return {nodes(), *most, *fewest};
}

int TeamLayout::place(Rank of, Level level) const {
  const std::vector<int>* const numbers[] = {&cache, &numa, &socket, &node};
  const auto number = static_cast<std::size_t>(level);
  if (number >= std::size(numbers))
    throw InputError("what switches nodes hang on is not known here, so that there is no level '" +
                     std::string(name_of(level)) + "': expected " + names_of(levels()));
  return (*numbers[number])[of];
}

Places TeamLayout::places() const {
  Places all(node);
  all.others = {{Level::cache, cache}, {Level::numa, numa}, {Level::socket, socket}};
  return all;
}

TeamLayout find_layout(Bootstrap& bootstrap) {
  const auto all = bootstrap.allgather(describe_here());
  TeamLayout layout;
  layout.rank = bootstrap.rank();
  using Place = std::pair<std::string, std::string>;  // node, and what of it
  std::map<Place, int> nodes, sockets, numas, caches;
  const auto number = [](std::map<Place, int>& known, const std::string& of_node, const std::string& name) {
    return known.emplace(Place{of_node, name}, static_cast<int>(known.size())).first->second;
  };
  std::vector<std::string> cores;
  for (const std::string& text : all) {
    std::istringstream lines(text);
    std::string node, socket, numa, cache, mask;
    for (std::string* line : {&node, &socket, &numa, &cache, &mask}) std::getline(lines, *line);
    layout.node.push_back(number(nodes, node, ""));
    layout.socket.push_back(number(sockets, node, socket));
    layout.numa.push_back(number(numas, node, numa));
    layout.cache.push_back(number(caches, node, cache));
    cores.push_back(mask);
  }
  const Cores here(hwloc_bitmap_alloc()), one(hwloc_bitmap_alloc());
  for (Rank r = 0; r < layout.size(); ++r)
    if (layout.same_node(r) && hwloc_bitmap_list_sscanf(one.get(), cores[r].c_str()) == 0)
      hwloc_bitmap_or(here.get(), here.get(), one.get());
  layout.usable_cores = std::max(1, hwloc_bitmap_weight(here.get()));
  return layout;
}

}  // namespace tutti
