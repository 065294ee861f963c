#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "algos/view.hpp"

namespace tutti {

// Circulant graphs: in round k each rank sends to the one `skip[k]` above it and receives from the one so many below.
// Traeff: Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast, All-Broadcast, Reduction and
// All-Reduction, arXiv 2407.18004; Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, arXiv 2410.14234.

/// By repeated halving, rounded up: 1 … size, one more than rounds (ceil(log2(size))). Of one rank: 1.
std::vector<int> circulant_skips(int size);

/// Which block virtual rank v receives from v - skip[k] in round k of a phase of a broadcast from 0: of the phase's own
/// blocks, 0 on, or, negative, of the one before; in each later phase as many more as it has rounds. Throws
/// std::logic_error where the search finds none.
std::vector<int> circulant_receive_schedule(const std::vector<int>& skips, int v);

/// Those of all virtual ranks. Shared, since all ranks of a process ask for the same ones.
class CirculantSchedules {
 public:
  explicit CirculantSchedules(int size);
  int size() const { return size_; }
  int of(int v, std::size_t k) const { return entries_[static_cast<std::size_t>(v) * period_ + k]; }

 private:
  int size_;
  std::size_t period_;
  std::vector<std::int8_t> entries_;  // by virtual rank and round of a phase
};
std::shared_ptr<const CirculantSchedules> circulant_schedules(int size);

/// The rounds of a broadcast of `blocks` blocks, at least one, in phases of `period` rounds each (0: of one rank). The
/// first phase begins in its midst, so that the last is whole.
class CirculantPhases {
 public:
  CirculantPhases(std::size_t period, Count blocks)
      : period_(static_cast<Count>(period)),
        blocks_(blocks),
        idle_(period == 0 ? 0 : (period_ - (blocks - 1) % period_) % period_) {}
  Count rounds() const { return period_ == 0 ? 0 : blocks_ - 1 + period_; }
  /// Which round of its phase it is.
  std::size_t of_phase(Count round) const { return static_cast<std::size_t>((round + idle_) % period_); }
  /// What is added to a schedule's entries in this round.
  Count passed(Count round) const { return (round + idle_) / period_ * period_ - idle_; }
  /// The block that an entry means where so much is added; -1: none yet.
  Count block_after(Count passed, int entry) const {
    const Count block = entry + passed;
    return block < 0 ? -1 : std::min(block, blocks_ - 1);
  }
  Count block(Count round, int entry) const { return block_after(passed(round), entry); }

 private:
  Count period_, blocks_, idle_;
};

/// What a rank does in each round of a broadcast of `blocks` blocks from virtual rank 0, in order: -1 is no message.
struct CirculantRound {
  Rank to, from;
  Count sent, received;
};
std::vector<CirculantRound> circulant_bcast_rounds(int size, int v, Count blocks);

}  // namespace tutti
