#pragma once

#include <optional>
#include <vector>

#include "algos/patterns/hier.hpp"

namespace tutti {

// Compositions by levels (hier.hpp) of what brings a block of each rank to the root, or from it: who leads a part has
// the blocks of all of its ranks, as they come from those who lead the parts in it, and the root sorts them. Where
// parts have not as many ranks each, what these have are blocks of different sizes (hier_uneven.hpp).

/// Whether ranks' blocks may have counts of their own, and a level's algorithm is one for such.
enum class BlocksOf : std::uint8_t { one_size, any_size };

/// The blocks of a stage, one after the other: of who takes part, each all that it leads.
struct StageBlocks {
  Blocks blocks() const;
  Count elements() const { return blocks().total(); }
  bool are_sorted() const;

  std::optional<Blocks> of_one_size;
  std::vector<Rank> ranks;  // else, and for who sorts them: whose blocks these are made of, in their order
  std::vector<Count> firsts{0};
};

/// From the nearest parts to the root, and from the root to the nearest parts.
Task gather_by_levels(Comm comm, Call call, BlocksOf kind);
Task scatter_by_levels(Comm comm, Call call, BlocksOf kind);

/// What all stages take, of blocks of one size or any, and what is handed over.
PartCounts count_blocks_by_levels(const Facts& facts);
PartCounts count_any_blocks_by_levels(const Facts& facts);

/// For declaring them.
inline constexpr const char* kBlocksByLevels =
    "Karonis, de Supinski, Foster, et al.: Exploiting Hierarchy in Parallel Computer Networks, IPDPS 2000: gathers and "
    "scatters among other collectives, far levels in as few messages as may be";

}  // namespace tutti
