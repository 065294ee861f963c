#include "cli/background.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.hpp"
#include "models/placement.hpp"

namespace tutti::cli {
namespace {

std::vector<int> on_nodes_after(const Network& network, const Layout& layout, int nodes) {
  const int last = network.node_of(*std::max_element(layout.core_of_rank.begin(), layout.core_of_rank.end()));
  if (nodes > network.nodes() - last - 1)
    throw InputError(fmt::format("--background: expected at most {} nodes behind those of the case, got {}",
                                 network.nodes() - last - 1, nodes));
  std::vector<int> cores;
  for (int node = last + 1; node <= last + nodes; ++node) cores.push_back(node * network.cores_per_node());
  return cores;
}

}  // namespace

std::vector<int> place_background(const Machine& machine, const LayoutOptions& where, const Layout& layout,
                                  BackgroundOptions& options) {
  Background& background = options.background;
  if (options.placement == "after") return on_nodes_after(*machine.network, layout, background.ranks);
  if (!is_placement_file(where.placement))
    throw InputError(
        "--background: expected --placement FILE, as its own placement is a file whose names mean the same");
  std::vector<int> cores = read_placement_beside(options.placement, where.placement, *machine.network);
  const int ranks = static_cast<int>(cores.size());
  if (ranks < 2) throw InputError(options.placement + ":1: expected 2 ranks or more");
  if (background.ranks != 0 && background.ranks != ranks)
    throw InputError(fmt::format("{}:1: expected {} ranks as --background says, got {}", options.placement,
                                 background.ranks, ranks));
  background.ranks = ranks;
  return cores;
}

}  // namespace tutti::cli
