#include "algos/patterns/irregular.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace tutti {
namespace {

int ranks_of(const Facts& facts) { return static_cast<int>(facts["p"]); }

/// The most messages of a rank, either way, to or from ranks at the distances from first to end - 1.
int busiest(const Facts& facts, int first, int end) {
  const int p = ranks_of(facts);
  int most = 0;
  for (Rank rank = 0; rank < p; ++rank) {
    int sent = 0, received = 0;
    for (int away = std::max(1, first); away < end; ++away) {
      sent += facts.count_from_to(rank, (rank - away + p) % p) > 0;
      received += facts.count_from_to((rank + away) % p, rank) > 0;
    }
    most = std::max({most, sent, received});
  }
  return most;
}

/// Of each batch, in order.
std::vector<int> busiest_of_batches(const Facts& facts, int window) {
  const int p = ranks_of(facts), each = window > 0 ? window : p;
  std::vector<int> all;
  for (int first = 0; first < p; first += each) all.push_back(busiest(facts, first, std::min(p, first + each)));
  return all;
}

}  // namespace

double direct_bytes(const Facts& facts) {
  return pair_bytes(facts, [](int away) { return away > 0; });
}

double full_pairs(const Facts& facts) {
  const int p = ranks_of(facts);
  double pairs = 0;
  for (Rank from = 0; from < p; ++from)
    for (Rank to = 0; to < p; ++to) pairs += from != to && facts.count_from_to(from, to) > 0;
  return pairs;
}

double bytes_of_others(const Facts& facts) {
  return facts["n"] - static_cast<double>(facts.count_of(static_cast<Rank>(facts["root"]))) * facts["e"];
}

double bytes_by_way_of_first(const Facts& facts) {
  return facts["p"] * facts["n"] - static_cast<double>(facts.count_of(0)) * facts["e"];
}

double bytes_up_binomial(const Facts& facts) {
  const int p = ranks_of(facts), root = static_cast<int>(facts["root"]);
  double elements = 0;
  for (int v = 0; v < p; ++v)
    elements += static_cast<double>(facts.count_of(real_rank(v, root, p))) * std::popcount(static_cast<unsigned>(v));
  return elements * facts["e"];
}

double least_rounds_in_batches(const Facts& facts, int window) {
  const std::vector<int> batches = busiest_of_batches(facts, window);
  return *std::max_element(batches.begin(), batches.end());
}

double most_rounds_in_batches(const Facts& facts, int window) {
  double rounds = 0;
  for (const int messages : busiest_of_batches(facts, window)) rounds += std::max(0, 2 * messages - 1);
  return rounds;
}

SegmentsOfBlocks segments_of_blocks(const Facts& facts, double of_empty) {
  Call call;
  call.element_bytes = static_cast<std::int32_t>(facts["e"]);
  SegmentsOfBlocks segments;
  for (Rank rank = 0; rank < ranks_of(facts); ++rank) {
    const Count count = facts.count_of(rank),
                each = call.elements_of(static_cast<std::int64_t>(facts["segment"]), count);
    const double here = count == 0 ? of_empty : static_cast<double>((count + each - 1) / each);
    segments.sum += here;
    segments.fewest = rank == 0 ? here : std::min(segments.fewest, here);
  }
  return segments;
}

double ring_segments(const Facts& facts, double of_empty) {
  if (ranks_of(facts) == 1) return 0;
  const SegmentsOfBlocks segments = segments_of_blocks(facts, of_empty);
  return segments.sum - segments.fewest;
}

}  // namespace tutti
