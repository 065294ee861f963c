#include "topologies/fabric.hpp"

#include "base/error.hpp"

namespace tutti {

int Fabric::nodes_in(std::int64_t places, int wanted, const std::string& fabric) {
  check_count(places, 1, fabric + ": nodes");
  if (wanted < 0 || wanted > places)
    throw InputError(fabric + ": expected at most " + std::to_string(places) + " nodes, the places of its shape, got " +
                     std::to_string(wanted));
  return wanted == 0 ? static_cast<int>(places) : wanted;
}

}  // namespace tutti
