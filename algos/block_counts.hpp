#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algos/blocks.hpp"
#include "algos/neighborhood.hpp"

namespace tutti {

class BlockCounts;

/// What one rank of an alltoallv gives and gets: block i of its input goes to rank i, block i of its output comes from
/// there. Among neighbours: block i goes to its i-th target (neighbor_allgatherv: the one block to all), comes from its
/// i-th source.
struct RankExchange {
  Blocks sent, received;
  const BlockCounts* all = nullptr;  // of all ranks
};

/// The counts of an irregular collective, in elements: of each rank (allgatherv, gatherv, scatterv, reduce_scatter),
/// from each rank to each (alltoallv), or among neighbours. All ranks know them all. Immutable; its blocks refer to it.
class BlockCounts {
 public:
  /// Throw InputError on a count below 0, on more than 2^56 elements, and, of pairs, where they are not ranks * ranks.
  explicit BlockCounts(const std::vector<Count>& of_ranks);
  /// counts[from * ranks + to].
  BlockCounts(int ranks, const std::vector<Count>& from_to);
  /// Among neighbours: of each rank, of what it sends to all of them, or of each rank's blocks, one rank after the
  /// other, 0 for nobody. Throw InputError, too, on another number of counts.
  BlockCounts(const Neighborhood& neighborhood, const std::vector<Count>& counts, bool of_blocks);
  BlockCounts(const BlockCounts&) = delete;

  /// Divides `total` elements as `text` says: "equal"; "zipf:S[:SEED]": the k-th largest part is proportional to k^-S,
  /// SEED (default 1) draws who has it; "random[:SEED]": drawn evenly from 0 to twice the mean, one of five is nothing;
  /// "one[:RANK]": this rank (default 0) has all; "as:COUNT:COUNT…": like these, of ranks or from each to each. But for
  /// as, in an alltoallv every rank sends total / ranks, rounded down, divided so among the receivers: by zipf and one
  /// in the same way everywhere, so that some receive much from all; by random each in its own. Throws InputError.
  static std::shared_ptr<const BlockCounts> from(const std::string& text, int ranks, Count total, bool of_pairs);

  /// The same among neighbours, `each` elements to a neighbour in the mean; of blocks: what a rank sends is divided
  /// among its neighbours, and "one[:K]" gives all to the K-th of them that is there, or to the last.
  static std::shared_ptr<const BlockCounts> among(const Neighborhood& neighborhood, const std::string& text, Count each,
                                                  bool of_blocks);

  int ranks() const { return ranks_; }
  /// From each rank to each.
  bool of_pairs() const { return kind_ == Kind::pairs; }
  bool of_neighbors() const { return kind_ == Kind::neighbors; }
  /// How many counts there are.
  std::size_t size() const { return size_; }
  /// What they were made from (counts_from), or the counts of the first ranks.
  std::string text() const;
  /// The sum of all.
  Count total() const { return total_; }
  /// Of ranks: as they lie in the buffer that has them all.
  Blocks blocks() const { return {ranks_, 0, 0, firsts_.data()}; }
  /// Of pairs or neighbours.
  const RankExchange& exchange(Rank rank) const { return exchanges_[rank]; }
  /// Of pairs.
  Count from_to(Rank from, Rank to) const { return exchange(from).sent.count(to); }

 private:
  enum class Kind : std::uint8_t { ranks, pairs, neighbors };
  /// Of what there is once.
  void add(Count count);

  int ranks_;
  Kind kind_ = Kind::ranks;
  std::size_t size_ = 0;
  Count total_ = 0;
  std::string text_;
  std::vector<Count> firsts_;  // of pairs: first what each rank sends, then what each receives, ranks + 1 of each; of
                               // neighbours: what each rank sends and receives, one more each than it has blocks
  std::vector<RankExchange> exchanges_;
};

}  // namespace tutti
