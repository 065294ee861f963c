#include "algos/block_counts.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tutti {
namespace {

constexpr Count kMost = Count{1} << 56;

}  // namespace

BlockCounts::BlockCounts(std::vector<Count> of_ranks) : ranks_(static_cast<int>(of_ranks.size())) {
  firsts_.reserve(of_ranks.size() + 1);
  for (const Count count : of_ranks) {
    if (count < 0) throw InputError("a count of " + std::to_string(count) + " elements: expected 0 or more");
    if (count > kMost - total_) throw InputError("too many elements: expected at most 2^56 in all");
    firsts_.push_back(total_);
    total_ += count;
  }
  firsts_.push_back(total_);
}

BlockCounts::BlockCounts(int ranks, const std::vector<Count>& from_to) : ranks_(ranks) {
  const auto p = static_cast<std::size_t>(ranks);
  if (from_to.size() != p * p)
    throw InputError(std::to_string(from_to.size()) + " counts for pairs of " + std::to_string(ranks) +
                     " ranks: expected " + std::to_string(p * p));
  const std::size_t each = p + 1;
  firsts_.assign(2 * p * each, 0);
  for (std::size_t from = 0; from < p; ++from)
    for (std::size_t to = 0; to < p; ++to) {
      const Count count = from_to[from * p + to];
      if (count < 0) throw InputError("a count of " + std::to_string(count) + " elements: expected 0 or more");
      if (count > kMost - total_) throw InputError("too many elements: expected at most 2^56 in all");
      total_ += count;
      firsts_[from * each + to + 1] = firsts_[from * each + to] + count;
      firsts_[(p + to) * each + from + 1] = firsts_[(p + to) * each + from] + count;
    }
  for (std::size_t rank = 0; rank < p; ++rank)
    exchanges_.push_back({{ranks, 0, 0, &firsts_[rank * each]}, {ranks, 0, 0, &firsts_[(p + rank) * each]}, this});
}

std::size_t BlockCounts::size() const {
  return static_cast<std::size_t>(ranks_) * (of_pairs() ? static_cast<std::size_t>(ranks_) : 1);
}

std::string BlockCounts::text() const {
  if (!text_.empty()) return text_;
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
