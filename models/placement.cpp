#include "models/placement.hpp"

#include <algorithm>
#include <numeric>
#include <random>

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

/// Makes the first `count` of the nodes some of all of them, each set and order as likely as any other. The first ones
/// do not depend on how many follow.
void draw(std::vector<int>& nodes, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);  // its numbers, and so the nodes, are the same everywhere
  for (std::size_t i = 0; i < count; ++i)
    std::swap(nodes[i], nodes[i + static_cast<std::size_t>(random() % (nodes.size() - i))]);
}

}  // namespace

std::vector<int> place_block(const Network& network, int ranks, int ppn) {
  return place_on(network, nodes_for_job(network, nodes_taken(network, ranks, ppn), {}, {}), ranks, ppn, false);
}

std::vector<int> place_by_socket(const Network& network, int ranks, int ppn) {
  std::vector<int> cores = place_block(network, ranks, ppn);
  const int sockets = network.node_shape().sockets, cores_per_socket = network.cores_per_node() / sockets;
  for (int& core : cores) {
    const int place = core % network.cores_per_node();
    const int turn = place / sockets, socket = place % sockets;
    core += socket * cores_per_socket + turn - place;
  }
  return cores;
}

std::vector<int> place_cyclic(const Network& network, int ranks, int ppn) {
  return place_on(network, nodes_for_job(network, nodes_taken(network, ranks, ppn), {}, {}), ranks, ppn, true);
}

std::vector<int> nodes_for_job(const Network& network, int count, std::optional<std::uint64_t> seed,
                               std::span<const int> out_of_order) {
  if (!seed && out_of_order.empty() && count >= 1 && count <= network.nodes()) {  // no need to list all the others
    std::vector<int> first(static_cast<std::size_t>(count));
    std::iota(first.begin(), first.end(), 0);
    return first;
  }
  std::vector<int> nodes(static_cast<std::size_t>(network.nodes()));
  std::iota(nodes.begin(), nodes.end(), 0);
  // Before any is left out, so that a job keeps its nodes where others fail.
  if (seed)
    draw(nodes, std::min(nodes.size(), static_cast<std::size_t>(std::max(count, 0)) + out_of_order.size()), *seed);
  std::erase_if(
      nodes, [&](int node) { return std::find(out_of_order.begin(), out_of_order.end(), node) != out_of_order.end(); });
  if (nodes.empty()) throw InputError("none of the machine's nodes is in order");
  if (count < 1 || count > static_cast<int>(nodes.size()))
    throw InputError("expected 1 to " + std::to_string(nodes.size()) + " nodes, which the machine has in order, got " +
                     std::to_string(count));
  nodes.resize(static_cast<std::size_t>(count));
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<int> nodes_beside(const Network& network, int count, std::uint64_t seed, std::span<const int> taken) {
  std::vector<int> nodes;
  for (int node = 0; node < network.nodes(); ++node)
    if (std::find(taken.begin(), taken.end(), node) == taken.end()) nodes.push_back(node);
  if (count < 1 || count > static_cast<int>(nodes.size()))
    throw InputError("expected 1 to " + std::to_string(nodes.size()) + " nodes, which are left, got " +
                     std::to_string(count));
  draw(nodes, static_cast<std::size_t>(count), seed);
  nodes.resize(static_cast<std::size_t>(count));
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<int> place_on(const Network& network, std::span<const int> nodes, int ranks, int ppn, bool in_turn) {
  const int taken = nodes_taken(network, ranks, ppn);
  if (taken > static_cast<int>(nodes.size()))
    throw InputError("expected at most " + std::to_string(nodes.size()) + " nodes, got " + std::to_string(ranks) +
                     " ranks at " + std::to_string(ppn) + " per node, which take " + std::to_string(taken));
  std::vector<int> cores(ranks);
  for (int rank = 0; rank < ranks; ++rank)
    cores[rank] =
        nodes[in_turn ? rank % taken : rank / ppn] * network.cores_per_node() + (in_turn ? rank / taken : rank % ppn);
  return cores;
}

}  // namespace tutti
