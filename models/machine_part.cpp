#include "models/machine_part.hpp"

#include "topologies/first_nodes.hpp"

namespace tutti {

Machine first_nodes(const Machine& machine, int nodes) {
  Machine part = machine;
  part.network = first_nodes(machine.network, nodes);
  if (!machine.larger_jobs) return part;
  Machine larger = *machine.larger_jobs;
  larger.network = part.network;
  part.larger_jobs = std::make_shared<const Machine>(std::move(larger));
  return part;
}

}  // namespace tutti
