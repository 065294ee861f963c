#include "sim/fast/find_symmetry.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "sim/fast/fingerprint.hpp"
#include "sim/fast/link_classes.hpp"
#include "sim/rank_groups.hpp"
#include "sim/retransmissions.hpp"
#include "sim/simulation.hpp"

namespace tutti::fast {
namespace {

/// The nodes, where each holds as many ranks as the others, one after the other and on the same of its cores.
std::vector<int> nodes_filled_alike(const Network& network, const std::vector<int>& core_of_rank) {
  std::vector<int> nodes;
  std::vector<bool> seen(static_cast<std::size_t>(network.nodes()), false);
  std::size_t per_node = 0;
  const int cores = network.cores_per_node(), first = network.node_of(core_of_rank.front());
  while (per_node < core_of_rank.size() && network.node_of(core_of_rank[per_node]) == first) ++per_node;
  if (core_of_rank.size() % per_node != 0) return {};
  for (std::size_t rank = 0; rank < core_of_rank.size(); ++rank) {
    const int core = core_of_rank[rank], node = network.node_of(core);
    if (rank % per_node == 0) {
      if (seen[node]) return {};
      seen[node] = true;
      nodes.push_back(node);
    }
    if (node != nodes.back() || core % cores != core_of_rank[rank % per_node] % cores) return {};
  }
  return nodes;
}

/// Messages of up to so many bytes take no turns with those of the other direction.
std::int64_t longest_without_turns(const Machine& machine) {
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  for (const auto& transport : machine.transports)
    if (transport) bytes = std::min(bytes, transport->half_duplex_above_bytes);
  return bytes;
}

/// Messages of more than so many bytes may be lost, and the largest share that is.
struct Lossy {
  std::int64_t above_bytes = std::numeric_limits<std::int64_t>::max();
  double share = 0;

  explicit Lossy(const Machine& machine) {
    for (const auto& transport : machine.transports) {
      if (!transport || transport->retransmitted_share == 0) continue;
      const std::int64_t blocking = transport->blocking_eager_limit_bytes;
      above_bytes = std::min({above_bytes, transport->eager_limit_bytes, blocking > 0 ? blocking : above_bytes});
      share = std::max(share, transport->retransmitted_share);
    }
  }
};

/// Where they write, and from where they send, matters only where fresh pages cost.
Fingerprint fingerprint_on(const Machine& machine, const Case& c, const Choice& choice, const BlockMoves& moves,
                           GroupTable& groups) {
  return {c, choice, moves, &groups, machine.compute.temporary.costs(), Lossy(machine).above_bytes};
}

/// Whether the algorithm does on rank 0 what it does on that rank of the last block for which rank 0 is to stand: most
/// that are not alike differ here.
bool seems_alike(const Machine& machine, const Case& c, const Choice& choice, const BlockMoves& moves,
                 GroupTable& groups) {
  Fingerprint fingerprint = fingerprint_on(machine, c, choice, moves, groups);
  const auto what = fingerprint.of(0);
  return what && fingerprint.of(moves.moved(0, moves.blocks - 1)) == what;
}

/// Whether it does on the ranks of every block what it does on those of the first, no messages of a pair take turns,
/// and none is lost.
bool blocks_are_alike(const Machine& machine, const Case& c, const Choice& choice, const BlockMoves& moves,
                      GroupTable& groups) {
  Fingerprint fingerprint = fingerprint_on(machine, c, choice, moves, groups);
  const std::int64_t longest = longest_without_turns(machine);
  const double lost_share = Lossy(machine).share;
  std::vector<std::uint64_t> first(static_cast<std::size_t>(moves.size));
  for (Rank rank = 0; rank < c.ranks; ++rank) {
    const auto what = fingerprint.of(rank);
    std::uint64_t& expected = first[moves.representative(rank)];
    if (!what || (rank >= moves.size && *what != expected) || fingerprint.longest_message() > longest) return false;
    if (Retransmissions::may_lose(rank, static_cast<double>(fingerprint.counted_messages()), lost_share)) return false;
    expected = *what;
  }
  return true;
}

/// Whether there are so many messages that looking at the ways between all nodes is little beside them.
bool is_worthwhile(const Machine& machine, double messages, int nodes) {
  constexpr double kWaysPerMessage = 16;  // take as long as to simulate it, or less
  const double ways = static_cast<double>(nodes) * nodes;
  return machine.network->fabric().links().empty() || ways <= kWaysPerMessage * messages;
}

}  // namespace

Symmetry find_symmetry(const Machine& machine, const Experiment& experiment, const std::vector<bool>& can_fill) {
  const bool begins_at_once = !experiment.mode.is_skewed();
  if (experiment.record || experiment.payload || !begins_at_once || experiment.background || experiment.noise)
    return {};
  const Case& c = experiment.c;
  const Choice choice = resolve(experiment.choice, c);
  const std::vector<int> nodes = nodes_filled_alike(*machine.network, experiment.core_of_rank);
  const auto count = static_cast<int>(nodes.size());
  if (count < 2) return {};
  // What is refused however many blocks there are would take hours to go through on a rank.
  const double messages =
      choice.algorithm->messages().text().empty() ? 0 : declared_messages(machine, experiment, c, choice);
  if (messages > kMostMessages * count) return {};
  const BarrierBefore barrier = barrier_before(experiment);
  GroupTable groups = groups_of(*machine.network, experiment.core_of_rank, c.ranks);
  for (int size = 1; size < count; ++size) {
    if (count % size != 0) continue;
    for (const auto kind :
         {BlockMoves::Kind::cyclic, BlockMoves::Kind::exclusive_or, BlockMoves::Kind::even_exclusive_or}) {
      const BlockMoves of_nodes{kind, size, count / size}, of_ranks{kind, size * (c.ranks / count), count / size};
      if (kind != BlockMoves::Kind::cyclic && !std::has_single_bit(static_cast<unsigned>(of_nodes.blocks))) continue;
      if (kind == BlockMoves::Kind::even_exclusive_or && size % 2 != 0) continue;
      if (!seems_alike(machine, c, choice, of_ranks, groups)) continue;
      if (!is_worthwhile(machine, messages, count)) return {};
      auto classes = link_classes(*machine.network, nodes, of_nodes, can_fill);
      if (!classes || !blocks_are_alike(machine, c, choice, of_ranks, groups)) continue;
      if (experiment.mode.kind == Mode::Kind::barrier &&
          !blocks_are_alike(machine, barrier.c, barrier.choice, of_ranks, groups))
        continue;
      return {of_ranks, *std::move(classes)};
    }
  }
  return {};
}

}  // namespace tutti::fast
