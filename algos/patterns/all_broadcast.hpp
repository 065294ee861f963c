#pragma once

#include "algos/blocks.hpp"
#include "algos/patterns/segments.hpp"
#include "algos/registry.hpp"

namespace tutti {

// All-broadcast and all-reduction on circulant graphs: every rank's block is broadcast, or reduced to it, at once and
// in as many segments as each other's. All follow the schedule of one broadcast (circulant.hpp), each from its own
// root; what moves of all of them between two ranks in a round is one message. Traeff: Round-optimal n-Block Broadcast
// Schedules in Logarithmic Time, arXiv 2312.11236; Optimal Broadcast Schedules in Logarithmic Time with Applications to
// Broadcast, All-Broadcast, Reduction and All-Reduction, arXiv 2407.18004.

/// Rank r has block r of `vector` to start with; when the call is over all ranks have all. Every rank of the
/// communicator calls it.
Task all_broadcast(Comm comm, View vector, Blocks blocks, Count segments);

/// An allgather(v) by that.
Task allgather_by_all_broadcast(Comm comm, Call call);

/// The same backwards: when the call is over rank r's block r is reduced, its other blocks partial. For commutative
/// operators only.
Task all_reduction(Comm comm, View vector, Blocks blocks, Count segments);

// Exact counts of one of these; nothing is sent where all that would move is empty. Blocks are the case's; or its
// vector, split among all ranks.
double all_broadcast_rounds(const Facts& facts);
double all_broadcast_messages(const Facts& facts);
double split_all_broadcast_rounds(const Facts& facts);
double split_all_broadcast_messages(const Facts& facts);

/// For declaring them.
inline constexpr const char* kAllBroadcast =
    "Traeff: Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast, All-Broadcast, Reduction "
    "and All-Reduction, arXiv 2407.18004; Round-optimal n-Block Broadcast Schedules in Logarithmic Time, arXiv "
    "2312.11236";

}  // namespace tutti
