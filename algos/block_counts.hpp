#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algos/blocks.hpp"

namespace tutti {

class BlockCounts;

/// What one rank of an alltoallv gives and gets: block i of its input goes to rank i, block i of its output comes from
/// there.
struct RankExchange {
  Blocks sent, received;
  const BlockCounts* all = nullptr;  // of all ranks
};

/// The counts of an irregular collective, in elements: of each rank (allgatherv, gatherv, scatterv), or from each rank
/// to each (alltoallv). All ranks know them all. Immutable; its blocks refer to it.
class BlockCounts {
 public:
  /// Throw InputError on a count below 0, on more than 2^56 elements, and, of pairs, where they are not ranks * ranks.
  explicit BlockCounts(std::vector<Count> of_ranks);
  /// counts[from * ranks + to].
  BlockCounts(int ranks, const std::vector<Count>& from_to);
  BlockCounts(const BlockCounts&) = delete;

  /// Divides `total` elements as `text` says: "equal"; "zipf:S[:SEED]": the k-th largest part is proportional to k^-S,
  /// and SEED (default 1) draws who has it; "random[:SEED]": parts drawn evenly from 0 to twice the mean, but one of
  /// five is nothing; "one[:RANK]": this rank (default 0) has all. In an alltoallv every rank sends total / ranks,
  /// rounded down, divided in this way among the receivers: by zipf and one in the same way everywhere, so that some
  /// receive much from all; by random each sender in its own. Throws InputError.
  static std::shared_ptr<const BlockCounts> from(const std::string& text, int ranks, Count total, bool of_pairs);

  int ranks() const { return ranks_; }
  bool of_pairs() const { return !exchanges_.empty(); }
  /// How many counts there are.
  std::size_t size() const;
  /// What they were made from (counts_from), or the counts of the first ranks.
  std::string text() const;
  /// The sum of all.
  Count total() const { return total_; }
  /// Of ranks: as they lie in the buffer that has them all.
  Blocks blocks() const { return {ranks_, 0, 0, firsts_.data()}; }
  /// Of pairs.
  const RankExchange& exchange(Rank rank) const { return exchanges_[static_cast<std::size_t>(rank)]; }
  Count from_to(Rank from, Rank to) const { return exchange(from).sent.count(to); }

 private:
  int ranks_;
  Count total_ = 0;
  std::string text_;
  std::vector<Count> firsts_;  // of pairs: first what each rank sends, then what each receives, ranks + 1 of each
  std::vector<RankExchange> exchanges_;
};

}  // namespace tutti
