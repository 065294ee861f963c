#include "algos/patterns/circulant.hpp"

#include <algorithm>
#include <stdexcept>

namespace tutti {
namespace {

/// The search for one rank's schedule (arXiv 2407.18004, algorithm 4): for round after round the last skip of a way
/// from rank 0, by ever shorter skips, that ends where the block must come from; no two rounds have the same last skip.
class Search {
 public:
  Search(const std::vector<int>& skips, int v)
      : skips_(skips),
        rounds_(static_cast<int>(skips.size()) - 1),
        target_(v + skips.back()),
        bound_(2 * skips.back()) {
    for (int k = 0; k <= rounds_; ++k) {
      shorter_.push_back(k - 1);
      longer_.push_back(k == rounds_ ? -1 : k + 1);
    }
    own_ = rounds_;  // the last of the longest skips that lead to v
    for (int rest = v, k = rounds_ - 1; rest > 0; --k)
      if (rest >= skip(k)) {
        rest -= skip(k);
        own_ = k;
      }
    longest_ = rounds_;
    remove(own_);
    extend(0, longest_);
    if (round() != rounds_) throw std::logic_error("circulant_receive_schedule: not every round has a block");
  }

  std::vector<int> blocks() const {
    std::vector<int> blocks;
    for (const int last : last_skips_) blocks.push_back(last == rounds_ ? own_ : last - rounds_);
    return blocks;
  }

 private:
  int skip(int k) const { return skips_[static_cast<std::size_t>(k)]; }
  int round() const { return static_cast<int>(last_skips_.size()); }
  int& shorter(int k) { return shorter_[static_cast<std::size_t>(k)]; }
  int& longer(int k) { return longer_[static_cast<std::size_t>(k)]; }

  void remove(int k) {
    (longer(k) < 0 ? longest_ : shorter(longer(k))) = shorter(k);
    if (shorter(k) >= 0) longer(shorter(k)) = longer(k);
  }

  void extend(int reached, int k) {
    for (; k >= 0 && round() < rounds_; k = shorter(k)) {
      const int next = reached + skip(k);
      if (next > target_ - skip(round()) || next >= bound_) continue;
      if (next <= target_ - skip(round() + 1)) extend(next, k);
      if (round() == rounds_ || reached > target_ - skip(round() + 1)) return;
      bound_ = next;  // ways end ever nearer to rank 0
      last_skips_.push_back(k);
      remove(k);
    }
  }

  const std::vector<int>& skips_;
  int rounds_, target_, bound_, own_ = 0, longest_ = 0;
  std::vector<int> shorter_, longer_, last_skips_;
};

}  // namespace

std::vector<int> circulant_skips(int size) {
  std::vector<int> skips{size};
  while (skips.back() > 1) skips.push_back(skips.back() - skips.back() / 2);
  std::reverse(skips.begin(), skips.end());
  return skips;
}

std::vector<int> circulant_receive_schedule(const std::vector<int>& skips, int v) { return Search(skips, v).blocks(); }

std::vector<CirculantRound> circulant_bcast_rounds(int size, int v, Count blocks) {
  const std::vector<int> skips = circulant_skips(size);
  const auto phase = static_cast<Count>(skips.size()) - 1;
  std::vector<CirculantRound> rounds;
  if (phase == 0) return rounds;
  std::vector<int> receives = circulant_receive_schedule(skips, v), sends;
  for (Count k = 0; k < phase; ++k) {
    const int to = (v + skips[static_cast<std::size_t>(k)]) % size;
    sends.push_back(circulant_receive_schedule(skips, to)[static_cast<std::size_t>(k)]);
  }
  const Count idle = (phase - (blocks - 1) % phase) % phase;  // rounds left out, so that the last phase is whole
  for (Count i = idle; i < blocks - 1 + phase + idle; ++i) {
    const auto k = static_cast<std::size_t>(i % phase);
    const Count offset = i / phase * phase - idle;
    const int away = skips[k];
    const auto block = [&](int of_phase, bool moves) {
      return moves && of_phase + offset >= 0 ? std::min(of_phase + offset, blocks - 1) : -1;
    };
    const Rank to = (v + away) % size, from = (v - away + size) % size;
    rounds.push_back({to, from, block(sends[k], to != 0), block(receives[k], v != 0)});
  }
  return rounds;
}

}  // namespace tutti
