#pragma once

#include <vector>

#include "algos/case.hpp"
#include "sim/data_moves.hpp"
#include "sim/scratch_pages.hpp"

namespace tutti {

/// Throws std::length_error where scratch memory cannot have so many elements.
void expect_scratch(Count elements);

/// What the calls of simulated ranks have in memory: their scratch buffers, which pages of these are fresh, and how
/// fast a processor works on what is in cache, or out of it.
class WorkingMemory {
 public:
  /// The machine and the case must outlive it.
  WorkingMemory(const Compute& compute, const Case& c, std::size_t ranks);
  /// A call begins on the rank: what the one before took is given back.
  void begin_call(Rank rank) {
    next_buffer_[rank] = View::kFirstScratch;
    if (!pages_.empty()) pages_[rank] = {};
  }
  View scratch(Rank rank, Count elements, DataMoves& data);
  /// The rank is about to write there: how many bytes of fresh pages it touches. Each costs Compute::temporary.
  std::int64_t touch(Rank rank, const View& written) {
    return has_taken_ ? pages_[rank].touch(written, c_.element_bytes, compute_.temporary) : 0;
  }
  /// An adapter is about to read or write there by itself: for how long the processor registers what is fresh.
  double registration_seconds(Rank rank, const View& where) {
    const double seconds = compute_.temporary.registration_seconds;
    if (!has_taken_ || seconds == 0) return 0;
    return seconds * pages_[rank].register_with_adapter(where, compute_.temporary);
  }
  /// Of work on so many bytes. Where the rate goes by the call: all that this has in memory, its buffers and scratch.
  double seconds_per_byte(Rank rank, std::int64_t bytes, const Compute::Rate& rate) const;

 private:
  const Compute& compute_;
  const Case& c_;
  std::vector<std::int32_t> next_buffer_;  // by rank
  std::vector<ScratchPages> pages_;        // by rank; empty where no cost depends on them
  bool has_taken_ = false;                 // some rank has, of these
};

}  // namespace tutti
