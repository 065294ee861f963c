#pragma once

#include <vector>

#include "algos/patterns/neighbors.hpp"

namespace tutti {

// Message combining on a grid (Traeff, Hunold et al.): a block goes dimension after dimension, and what passes a rank
// in the same direction at the same time goes on as one message.

// Blocks for one offset each go by themselves along all dimensions; one block for all goes to an offset along the last
// that leads away, from where it is by then.

/// What goes from a rank to the one that is `step` further in a dimension.
struct CombinedMessage {
  Rank to = kNobody, from = kNobody;
  std::vector<int> sent, received;  // offsets that the blocks are for
};

/// A rank's messages in each dimension; what goes in a circle to the rank itself is among them.
std::vector<std::vector<CombinedMessage>> combined_messages(const Grid& grid, Rank rank, Way way);
/// Whose block is at a rank after it has gone through the first `dimensions`; kNobody: beyond a border.
Rank sender_of(const Grid& grid, Rank rank, int offset, int dimensions);

Task combine_messages(Comm comm, Call call);

template <Way way>
double least_combined_rounds(const Facts& facts);
template <Way way>
double most_combined_rounds(const Facts& facts);
template <Way way>
double combined_messages_in_all(const Facts& facts);
template <Way way>
double combined_bytes(const Facts& facts);

/// For declaring them.
inline constexpr const char* kCombinedRounds =
    "at least the most partners of a rank in all dimensions, either way; at most, in each dimension, twice its "
    "messages less one";
inline constexpr const char* kCombinedMessages =
    "of a rank in each dimension one for each distance that neighbours have in it";
inline constexpr const char* kCombiningSources =
    "Traeff, Luebbe, Rougier, Hunold: Isomorphic, Sparse MPI-like Collective Communication Operations for Parallel "
    "Stencil Computations, EuroMPI 2015; Traeff, Hunold: Cartesian Collective Communication, ICPP 2019";
inline constexpr const char* kCombiningDeviates =
    "blocks that go on together are copied into one place, where the papers have datatypes";

}  // namespace tutti
