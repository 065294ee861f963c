#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algos/view.hpp"

namespace tutti {

/// Beyond the border of a grid, as MPI_PROC_NULL.
inline constexpr Rank kNobody = -1;

/// Whom a rank sends a block to or has one from, and which of that rank's blocks it is.
struct Neighbor {
  Rank rank = kNobody;
  int slot = 0;
};

/// A Cartesian grid of ranks, the last coordinate running fastest, and where a rank's neighbours are as seen from it:
/// for each offset there is the opposite one.
struct Grid {
  using Coordinates = std::vector<int>;
  std::vector<int> extents;
  std::vector<bool> wraps;  // of each dimension: its last rank is a neighbour of its first
  std::vector<Coordinates> offsets;

  /// MPI_Cart_create's neighbours: along each dimension the one before, then the one after.
  static Grid star(std::vector<int> extents, std::vector<bool> wraps);
  /// All that are at most `reach` away in every dimension, in the order of their offsets.
  static Grid box(std::vector<int> extents, std::vector<bool> wraps, int reach);

  int ranks() const;
  int dimensions() const { return static_cast<int>(extents.size()); }
  /// Who is there as seen from the rank; kNobody: beyond a border.
  Rank at(Rank from, const Coordinates& offset) const;
  /// The offset with the opposite sign.
  std::size_t opposite(std::size_t offset) const;
};

/// Who exchanges blocks with whom in a collective among neighbours: what MPI_Cart_create or MPI_Dist_graph_create says
/// of all ranks. Of a grid all ranks have as many blocks, those for nobody too, which stay as they are. Immutable.
class Neighborhood {
 public:
  using Edge = std::pair<Rank, Rank>;  // from, to

  explicit Neighborhood(Grid grid);
  /// A rank's blocks are in the order of its edges. Throws InputError where one names no rank.
  Neighborhood(int ranks, const std::vector<Edge>& edges);

  /// "4x4x2": a star on a grid that wraps around, "4x4:open" one with borders, "4x4:box", "4x4:box=2:open" all that are
  /// at most 1 or 2 away in every dimension; "random:DEGREE[:SEED]": so many others for each rank. Throws InputError.
  static std::shared_ptr<const Neighborhood> from(const std::string& text, int ranks);

  int ranks() const { return ranks_; }
  /// What it was made from, or how many edges it has.
  const std::string& text() const { return text_; }
  const std::optional<Grid>& grid() const { return grid_; }
  /// Block i of what the rank sends goes to targets[i]; block i of what it gets comes from sources[i].
  std::span<const Neighbor> targets(Rank rank) const { return targets_[rank]; }
  std::span<const Neighbor> sources(Rank rank) const { return sources_[rank]; }
  /// Blocks that go to another rank.
  Count edges() const;

 private:
  int ranks_;
  std::string text_;
  std::optional<Grid> grid_;
  std::vector<std::vector<Neighbor>> targets_, sources_;
};

}  // namespace tutti
