#include "runtime/topology_summary.hpp"

#include <hwloc.h>

#include <memory>

#include "runtime/error.hpp"

namespace tutti {

std::string topology_summary() {
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) != 0) throw TeamError("hwloc cannot be used");
  const std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)> topology(made, hwloc_topology_destroy);
  if (hwloc_topology_load(made) != 0) throw TeamError("hwloc cannot read this machine's topology");
  const auto count = [&](hwloc_obj_type_t type) { return std::to_string(hwloc_get_nbobjs_by_type(made, type)); };
  const unsigned version = hwloc_get_api_version();
  return "hwloc API " + std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 0xff) + ": " +
         count(HWLOC_OBJ_PACKAGE) + " packages, " + count(HWLOC_OBJ_NUMANODE) + " NUMA domains, " +
         count(HWLOC_OBJ_CORE) + " cores, " +
         std::to_string(hwloc_bitmap_weight(hwloc_topology_get_allowed_cpuset(made))) + " processing units allowed";
}

}  // namespace tutti
