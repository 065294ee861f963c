#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ranks_on_nodes.hpp"
#include "models/machine.hpp"

namespace tutti {

/// Where the ranks of one run are.
struct Layout {
  int ranks = 0, nodes = 0, ppn = 0, fewest = 0;  // ppn, fewest: the most and the fewest ranks on a node
  std::vector<int> core_of_rank;

  RanksOnNodes on_nodes() const { return {nodes, ppn, fewest}; }
};

/// The node of each.
std::vector<int> nodes_of(const Network& network, const std::vector<int>& core_of_rank);

/// What is asked for of one layout: --nodes and --ppn, or --ranks and perhaps --ppn, and --placement (block,
/// cyclic, scattered:SEED or a CSV file).
struct LayoutOptions {
  std::optional<int> nodes, ppn, ranks;
  std::string placement = "block";
  std::vector<int> out_of_order = {};  // nodes that nobody gets
};

/// What is none of block, cyclic and scattered:SEED, nor scattered alone.
bool is_placement_file(const std::string& placement);
/// Of scattered:SEED; nothing for others and where the seed is no whole number.
std::optional<std::uint64_t> seed_if_scattered(const std::string& placement);
/// The same of what --placement says. Throws InputError on scattered without a seed.
std::optional<std::uint64_t> scattering_seed(const std::string& placement);

/// --ranks without --ppn: one rank a node where the machine has that many nodes, else full nodes in order. A placement
/// file must agree with whatever else is given. Throws InputError.
Layout make_layout(const Machine& machine, const LayoutOptions& options);

/// The same where each number may be a list: "2-300", "4:64".
struct LayoutLists {
  std::string nodes, ppn, ranks, placement = "block";
};

/// Of layouts by ranks alone, some of which have a node for each rank and some full nodes: that times jump between the
/// two. Empty: all are of one kind.
std::string layout_jump(const Network& network, std::span<const LayoutOptions> layouts);

/// Every number of nodes or ranks with every one of ranks per node, ascending. Throws InputError.
std::vector<LayoutOptions> each_layout(const LayoutLists& lists);

}  // namespace tutti
