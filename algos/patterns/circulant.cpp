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
  int skip(int k) const { return skips_[k]; }
  int round() const { return static_cast<int>(last_skips_.size()); }
  int& shorter(int k) { return shorter_[k]; }
  int& longer(int k) { return longer_[k]; }

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

CirculantSchedules::CirculantSchedules(int size) : size_(size) {
  const std::vector<int> skips = circulant_skips(size);
  period_ = skips.size() - 1;
  entries_.reserve(static_cast<std::size_t>(size) * period_);
  for (int v = 0; v < size && period_ > 0; ++v)
    for (const int block : circulant_receive_schedule(skips, v)) entries_.push_back(static_cast<std::int8_t>(block));
}

std::shared_ptr<const CirculantSchedules> circulant_schedules(int size) {
  thread_local std::shared_ptr<const CirculantSchedules> latest;
  if (!latest || latest->size() != size) latest = std::make_shared<const CirculantSchedules>(size);
  return latest;
}

std::vector<CirculantRound> circulant_bcast_rounds(int size, int v, Count blocks) {
  const std::vector<int> skips = circulant_skips(size);
  const CirculantPhases phases(skips.size() - 1, blocks);
  std::vector<CirculantRound> rounds;
  if (size == 1) return rounds;
  const std::vector<int> receives = circulant_receive_schedule(skips, v);
  std::vector<int> sends;
  for (std::size_t k = 0; k + 1 < skips.size(); ++k)
    sends.push_back(circulant_receive_schedule(skips, (v + skips[k]) % size)[k]);
  for (Count i = 0; i < phases.rounds(); ++i) {
    const std::size_t k = phases.of_phase(i);
    const Rank to = (v + skips[k]) % size, from = (v - skips[k] + size) % size;
    rounds.push_back({to, from, to != 0 ? phases.block(i, sends[k]) : -1, v != 0 ? phases.block(i, receives[k]) : -1});
  }
  return rounds;
}

}  // namespace tutti
