#pragma once

#include <cstdint>
#include <vector>

namespace tutti {

/// PAT (Jeaugey, arXiv 2506.20252): a rank sends to the one `away` above it, and takes from the one as many below, the
/// blocks of the ranks s = first, first + every … below the receiver.
struct PatStep {
  int away, first, every;
};

/// The steps of an allgather among `size` ranks. Far ranks come first, the blocks of each distance in one message, down
/// to trees of so few ranks that a message holds one block of each; these are walked rank by rank. At most `most`
/// blocks are in a message, a power of two not above it; 0: all that can be.
std::vector<PatStep> pat_steps(int size, std::int64_t most);

}  // namespace tutti
