#pragma once

#include <functional>
#include <string>
#include <vector>

#include "algos/call.hpp"
#include "base/text_store.hpp"
#include "models/machine.hpp"

namespace tutti {

/// Two calls that differ next to nothing, and their times, which differ by a factor of kJump at least, beyond what
/// their sizes do.
struct Jump {
  Collective collective = Collective::barrier;
  std::string algorithm;
  int nodes = 1, ppn = 1;
  Distance distance = Distance::self;         ///< of two ranks in a node; else `self`
  std::int64_t from_bytes = 0, to_bytes = 0;  ///< total convention; equal where it is the number of ranks that differs
  int from_ranks = 0, to_ranks = 0;           ///< the same where it is the size; else a job and a larger one
  double from_seconds = 0, to_seconds = 0;
  /// The figure of the machine's file without which it would not be there, "pointer = value", and what the file says of
  /// it. "": no single figure.
  std::string figure, source;
  bool guessed = true;  ///< the figure is a guess, or there is none: nothing explains the jump
  /// "leaf" or "group": one call with its last rank on the last node of the first, and on the first node of the second.
  std::string boundary = {};
};
inline constexpr double kJump = 1.4;

/// What is looked at.
struct JumpScan {
  bool everything = false;  ///< all algorithms on more layouts; else a few that show each part of the model
  int threads = 1;
  /// Keeps what is found of an algorithm on a layout; may be nullptr. It belongs to the machine and this program.
  TextStore* store = nullptr;
  /// Called by any thread, one at a time; `part` says how much of all the work is done, if asked before this returns.
  std::function<void(std::size_t done, std::size_t total, const std::function<double()>& part)> progress = {};
};

/// Jumps of simulated times
///   * over sizes of up to 16 MiB, on 1, 2 and 10 nodes; with `everything` on more, and between two cores at every
///     distance;
///   * from the largest job that keeps its transports to the next (larger_jobs);
///   * from the last node of a leaf, and of a group, to the first of the next.
/// A jump that would be there without any limit in the machine's costs is the algorithm's own, and left out. Sorted:
/// those of guesses first, then by figure.
std::vector<Jump> find_jumps(const Machine& machine, const std::string& text, const std::string& origin,
                             const JumpScan& scan);

}  // namespace tutti
