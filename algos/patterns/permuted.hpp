#pragma once

#include "algos/patterns/block_copies.hpp"
#include "algos/patterns/hier.hpp"

namespace tutti {

// What algorithms are made of that run another one on all ranks in another order: then that meets the nodes in another
// order, too.

/// The orders that `order` may name; it may also be a list (algos/rank_order.hpp).
struct NamedOrder {
  const char* name;
  GroupKind kind;
};
inline constexpr NamedOrder kNamedOrders[] = {
    {"reversed", GroupKind::reversed}, {"cyclic", GroupKind::cyclic}, {"block", GroupKind::block}};
inline std::vector<std::string> order_names() {
  std::vector<std::string> names;
  for (const NamedOrder& order : kNamedOrders) names.emplace_back(order.name);
  return names;
}

/// Where ranks in another order come from.
inline constexpr const char* kOrdersSource =
    "MVAPICH2, src/mpi/coll/allgather_osu.c, create_2level_comm.c: a communicator whose ranks are in another order, "
    "there cyclic over nodes, and recursive doubling of an allgather on it";

/// All ranks in the order that the call's parameter says.
Comm permuted(const Comm& comm, const Call& call);

/// All ranks, in its order.
std::vector<Rank> order_of(const Comm& other);

/// Where a choice that runs another one in another order finds the ranks in that order already: that other one, which
/// then does the same, and need not copy anything.
std::optional<Choice> what_needs_no_order(const Choice& choice, const Case& c, const Places& places);

/// What `of` takes on all ranks; from or to the rank that is the root there.
PartCounts count_permuted(const Facts& facts);

/// A reduce-scatter of blocks of one size, and for the last ranks one element more where they are smaller; and what it
/// takes of a vector that is cut into such blocks.
Task reduce_scatter_in_order(Comm comm, Call call);
PartCounts count_permuted_blocks(const Facts& facts);

/// Blocks that have counts of their own, in the order of these ranks: where each begins, and the last ends; and the
/// part's call with blocks that begin there.
std::vector<Count> firsts_in_order(const Comm& other, const Blocks& blocks);
Call part_in_order(const Call& whole, const View& in, const View& out, Rank root, const std::vector<Count>& firsts);

/// What `of` takes of those, and from each rank to each.
PartCounts count_permuted_any_blocks(const Facts& facts);
PartCounts count_permuted_exchange(const Facts& facts);

}  // namespace tutti
