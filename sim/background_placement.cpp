#include "sim/background_placement.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "models/layout.hpp"
#include "models/placement.hpp"

namespace tutti {
namespace {

constexpr const char* kAfter = "after";

std::vector<int> on_nodes_after(const Network& network, std::span<const int> cores, int nodes) {
  const int last = network.node_of(*std::max_element(cores.begin(), cores.end()));
  if (nodes > network.nodes() - last - 1)
    throw InputError("--background: expected at most " + std::to_string(network.nodes() - last - 1) +
                     " nodes behind those of the case, got " + std::to_string(nodes) +
                     "; placement=scattered:SEED takes others");
  std::vector<int> beside;
  for (int node = last + 1; node <= last + nodes; ++node) beside.push_back(node * network.cores_per_node());
  return beside;
}

std::vector<int> on_others(const Network& network, std::span<const int> cores, int nodes, std::uint64_t seed) {
  std::vector<int> taken(cores.begin(), cores.end());
  for (int& core : taken) core = network.node_of(core);
  std::sort(taken.begin(), taken.end());
  taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
  if (nodes > network.nodes() - static_cast<int>(taken.size()))
    throw InputError("--background: expected at most " +
                     std::to_string(network.nodes() - static_cast<int>(taken.size())) +
                     " nodes, which the case leaves, got " + std::to_string(nodes));
  std::vector<int> beside = nodes_beside(network, nodes, seed, taken);
  for (int& node : beside) node *= network.cores_per_node();
  return beside;
}

}  // namespace

std::vector<int> place_background(const Network& network, std::span<const int> cores, const std::string& placement,
                                  BackgroundOptions& options) {
  Background& background = options.background;
  if (options.placement == kAfter) return on_nodes_after(network, cores, background.ranks);
  if (!is_placement_file(options.placement)) {
    const auto seed = seed_if_scattered(options.placement);
    if (!seed)
      throw InputError("--background: placement=" + options.placement +
                       ": expected scattered:SEED, a file, or none for the nodes behind the case's");
    if (background.ranks == 0) throw InputError("--background: expected nodes=N beside placement=" + options.placement);
    return on_others(network, cores, background.ranks, *seed);
  }
  if (!is_placement_file(placement))
    throw InputError(
        "--background: expected --placement FILE, as its own placement is a file whose names mean the same");
  std::vector<int> beside = read_placement_beside(options.placement, placement, network);
  const int ranks = static_cast<int>(beside.size());
  if (ranks < 2) throw InputError(options.placement + ":1: expected 2 ranks or more");
  if (background.ranks != 0 && background.ranks != ranks)
    throw InputError(options.placement + ":1: expected " + std::to_string(background.ranks) +
                     " ranks as --background says, got " + std::to_string(ranks));
  background.ranks = ranks;
  return beside;
}

std::string text_of(const BackgroundOptions& options) {
  return options.background.text() + (options.placement == kAfter ? "" : ",placement=" + options.placement);
}

std::string no_congestion_trees(const Machine& machine, const Background& background) {
  if (!machine.congestion_trees)
    return "no congestion trees: the machine's file has no figures of them (\"congestion_trees\")";
  if (background.kind != Background::Kind::incast) return "no congestion trees: only an incast grows them here";
  const int least = machine.congestion_trees->from_senders;
  // A job whose placement was not read yet has 0 ranks.
  if (background.ranks == 0 || background.ranks > least) return "";
  return "no congestion trees: they take " + std::to_string(least) + " senders or more";
}

}  // namespace tutti
