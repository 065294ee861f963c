#include "models/layout.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "base/option_lists.hpp"
#include "models/placement.hpp"

namespace tutti {
namespace {

constexpr std::string_view kScattered = "scattered", kSeeded = "scattered:";

/// Nothing where the option is not given.
std::vector<std::optional<int>> counts_given(const char* option, const std::string& text) {
  constexpr std::int64_t kMost = 1 << 24;
  if (text.empty()) return {std::nullopt};
  std::vector<std::optional<int>> values;
  for (const std::int64_t value : parse_list_of(option, text)) {
    if (value < 1) throw InputError(std::string(option) + " " + text + ": expected 1 or more");
    if (value > kMost)
      throw InputError(std::string(option) + " " + text + ": expected at most " + std::to_string(kMost));
    values.emplace_back(static_cast<int>(value));
  }
  return values;
}

}  // namespace

std::vector<LayoutOptions> each_layout(const LayoutLists& lists) {
  constexpr std::size_t kMost = 1'000'000;
  const auto all_ppn = counts_given("--ppn", lists.ppn), all_nodes = counts_given("--nodes", lists.nodes),
             all_ranks = counts_given("--ranks", lists.ranks);
  const double asked = static_cast<double>(all_ppn.size()) * static_cast<double>(all_nodes.size()) *
                       static_cast<double>(all_ranks.size());
  if (asked > kMost)
    throw InputError(fmt::format("--nodes, --ppn and --ranks: {:.0f} layouts: expected at most {}", asked, kMost));
  std::vector<LayoutOptions> all;
  for (const auto& ppn : all_ppn)
    for (const auto& nodes : all_nodes)
      for (const auto& ranks : all_ranks) all.push_back({nodes, ppn, ranks, lists.placement});
  return all;
}

std::vector<int> nodes_of(const Network& network, const std::vector<int>& core_of_rank) {
  std::vector<int> nodes = core_of_rank;
  for (int& node : nodes) node = network.node_of(node);
  return nodes;
}

bool is_placement_file(const std::string& placement) {
  return placement != "block" && placement != "cyclic" && placement != kScattered && !placement.starts_with(kSeeded);
}

std::optional<std::uint64_t> seed_if_scattered(const std::string& placement) {
  if (!placement.starts_with(kSeeded)) return std::nullopt;
  return number_from<std::uint64_t>(std::string_view(placement).substr(kSeeded.size()));
}

std::optional<std::uint64_t> scattering_seed(const std::string& placement) {
  const std::optional<std::uint64_t> seed = seed_if_scattered(placement);
  if (!seed && (placement == kScattered || placement.starts_with(kSeeded)))
    throw InputError("--placement " + placement +
                     ": expected block, cyclic, scattered:SEED (such as scattered:1) or a file");
  return seed;
}

std::string layout_jump(const Network& network, std::span<const LayoutOptions> layouts) {
  bool any_apart = false, any_full = false;
  for (const LayoutOptions& one : layouts)
    if (one.ranks.value_or(1) > 1 && !one.ppn && !one.nodes && !is_placement_file(one.placement))
      (*one.ranks <= network.nodes() ? any_apart : any_full) = true;
  if (!any_apart || !any_full || network.cores_per_node() == 1) return "";
  return fmt::format("up to {} ranks have a node each, more of them fill nodes of {}: times jump there",
                     network.nodes(), network.cores_per_node());
}

Layout make_layout(const Machine& machine, const LayoutOptions& options) {
  const Network& network = *machine.network;
  Layout layout;
  if (is_placement_file(options.placement)) {
    layout.core_of_rank = read_placement(options.placement, network, {options.ranks, options.nodes, options.ppn});
  } else {
    if (options.nodes.has_value() == options.ranks.has_value())
      throw InputError("expected either --nodes (with --ppn) or --ranks, or a placement file");
    int ppn = options.ppn.value_or(1);
    if (options.ranks && !options.ppn) ppn = *options.ranks <= network.nodes() ? 1 : network.cores_per_node();
    const std::int64_t ranks = options.ranks ? *options.ranks : std::int64_t{*options.nodes} * ppn;
    if (ppn > network.cores_per_node())
      throw InputError("--ppn " + std::to_string(ppn) + ": the machine's nodes have " +
                       std::to_string(network.cores_per_node()) + " cores");
    if ((ranks + ppn - 1) / ppn > network.nodes())
      throw InputError(std::to_string(ranks) + " ranks, " + std::to_string(ppn) + " per node: the machine has " +
                       std::to_string(network.nodes()) + " nodes");
    const std::vector<int> nodes = nodes_for_job(network, static_cast<int>((ranks + ppn - 1) / ppn),
                                                 scattering_seed(options.placement), options.out_of_order);
    layout.core_of_rank = place_on(network, nodes, static_cast<int>(ranks), ppn, options.placement == "cyclic");
  }
  for (const int core : layout.core_of_rank)
    if (const int node = network.node_of(core);
        std::find(options.out_of_order.begin(), options.out_of_order.end(), node) != options.out_of_order.end())
      throw InputError(fmt::format("{}: has ranks on node {}, which is out of order", options.placement, node));
  layout.ranks = static_cast<int>(layout.core_of_rank.size());
  std::map<int, int> on_node;
  for (const int core : layout.core_of_rank) layout.ppn = std::max(layout.ppn, ++on_node[network.node_of(core)]);
  layout.fewest = layout.ppn;
  for (const auto& [node, ranks] : on_node) layout.fewest = std::min(layout.fewest, ranks);
  layout.nodes = static_cast<int>(on_node.size());
  return layout;
}

}  // namespace tutti
