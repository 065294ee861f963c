#include "algos/block_counts.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tutti {
namespace {

constexpr Count kMost = Count{1} << 56;

}  // namespace

void BlockCounts::add(Count count) {
  if (count < 0) throw InputError("a count of " + std::to_string(count) + " elements: expected 0 or more");
  if (count > kMost - total_) throw InputError("too many elements: expected at most 2^56 in all");
  total_ += count;
}

BlockCounts::BlockCounts(const std::vector<Count>& of_ranks)
    : ranks_(static_cast<int>(of_ranks.size())), size_(of_ranks.size()) {
  firsts_.reserve(of_ranks.size() + 1);
  for (const Count count : of_ranks) {
    firsts_.push_back(total_);
    add(count);
  }
  firsts_.push_back(total_);
}

BlockCounts::BlockCounts(int ranks, const std::vector<Count>& from_to)
    : ranks_(ranks), kind_(Kind::pairs), size_(from_to.size()) {
  const auto p = static_cast<std::size_t>(ranks);
  if (from_to.size() != p * p)
    throw InputError(std::to_string(from_to.size()) + " counts for pairs of " + std::to_string(ranks) +
                     " ranks: expected " + std::to_string(p * p));
  const std::size_t each = p + 1;
  firsts_.assign(2 * p * each, 0);
  for (std::size_t from = 0; from < p; ++from)
    for (std::size_t to = 0; to < p; ++to) {
      const Count count = from_to[from * p + to];
      add(count);
      firsts_[from * each + to + 1] = firsts_[from * each + to] + count;
      firsts_[(p + to) * each + from + 1] = firsts_[(p + to) * each + from] + count;
    }
  for (std::size_t rank = 0; rank < p; ++rank)
    exchanges_.push_back({{ranks, 0, 0, &firsts_[rank * each]}, {ranks, 0, 0, &firsts_[(p + rank) * each]}, this});
}

BlockCounts::BlockCounts(const Neighborhood& neighborhood, const std::vector<Count>& counts, bool of_blocks)
    : ranks_(neighborhood.ranks()), kind_(Kind::neighbors) {
  std::vector<std::size_t> first_of{0};  // of each rank's counts
  for (Rank rank = 0; rank < ranks_; ++rank)
    first_of.push_back(first_of.back() + (of_blocks ? neighborhood.targets(rank).size() : 1));
  if (counts.size() != first_of.back())
    throw InputError(std::to_string(counts.size()) + " counts among neighbours: expected " +
                     std::to_string(first_of.back()) + (of_blocks ? ", one for each block" : ", one for each rank"));
  const auto count_of = [&](Rank rank, int slot) {
    return counts[first_of[rank] + static_cast<std::size_t>(of_blocks ? slot : 0)];
  };
  std::vector<std::size_t> begins;  // of each rank's firsts
  const auto begin = [&] {
    begins.push_back(firsts_.size());
    firsts_.push_back(0);
  };
  for (Rank rank = 0; rank < ranks_; ++rank) {
    const auto targets = neighborhood.targets(rank), sources = neighborhood.sources(rank);
    begin();
    for (std::size_t i = 0; i < (of_blocks ? targets.size() : 1); ++i) {
      const Count count = count_of(rank, static_cast<int>(i));
      const bool is_sent = !of_blocks || targets[i].rank != kNobody;
      if (!is_sent && count != 0) throw InputError("a count of " + std::to_string(count) + " for nobody: expected 0");
      add(count);
      size_ += is_sent;
      firsts_.push_back(firsts_.back() + count);
    }
    begin();
    for (const Neighbor& source : sources) {
      const Count count = source.rank == kNobody ? 0 : count_of(source.rank, source.slot);
      if (count > kMost - firsts_.back())
        throw InputError("too many elements for rank " + std::to_string(rank) + ": expected at most 2^56");
      firsts_.push_back(firsts_.back() + count);
    }
  }
  size_ = std::max<std::size_t>(1, size_);
  for (Rank rank = 0; rank < ranks_; ++rank) {
    const auto at = static_cast<std::size_t>(rank) * 2;
    const auto received = static_cast<int>(neighborhood.sources(rank).size());
    const int sent = of_blocks ? static_cast<int>(neighborhood.targets(rank).size()) : 1;
    exchanges_.push_back({{sent, 0, 0, &firsts_[begins[at]]}, {received, 0, 0, &firsts_[begins[at + 1]]}, this});
  }
}

std::string BlockCounts::text() const {
  if (!text_.empty()) return text_;
  if (of_neighbors()) return std::to_string(total_) + " elements in all";
  constexpr std::size_t kShown = 16;
  std::string text;
  for (std::size_t i = 0; i < std::min(size(), kShown); ++i) {
    const auto rank = static_cast<Rank>(i / static_cast<std::size_t>(of_pairs() ? ranks_ : 1));
    text += (i == 0 ? "" : ",") +
            std::to_string(of_pairs() ? from_to(rank, static_cast<Rank>(i) % ranks_) : blocks().count(rank));
  }
  return text + (size() > kShown ? ",…" : "");
}

}  // namespace tutti
