#include "models/placement.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tutti {
namespace {

int nodes_taken(const Network& network, int ranks, int ppn) {
  if (ranks < 1) throw InputError("expected at least 1 rank, got " + std::to_string(ranks));
  if (ppn < 1 || ppn > network.cores_per_node())
    throw InputError("expected 1 to " + std::to_string(network.cores_per_node()) +
                     " ranks per node, the cores of a node, got " + std::to_string(ppn));
  const std::int64_t nodes = (std::int64_t{ranks} + ppn - 1) / ppn;
  if (nodes > network.nodes())
    throw InputError("expected at most " + std::to_string(network.nodes()) + " nodes, got " + std::to_string(ranks) +
                     " ranks at " + std::to_string(ppn) + " per node, which take " + std::to_string(nodes));
  return static_cast<int>(nodes);
}

}  // namespace

std::vector<int> place_block(const Network& network, int ranks, int ppn) {
  nodes_taken(network, ranks, ppn);
  std::vector<int> cores(ranks);
  for (int rank = 0; rank < ranks; ++rank) cores[rank] = rank / ppn * network.cores_per_node() + rank % ppn;
  return cores;
}

std::vector<int> place_cyclic(const Network& network, int ranks, int ppn) {
  const int nodes = nodes_taken(network, ranks, ppn);
  std::vector<int> cores(ranks);
  for (int rank = 0; rank < ranks; ++rank) cores[rank] = rank % nodes * network.cores_per_node() + rank / nodes;
  return cores;
}

}  // namespace tutti
