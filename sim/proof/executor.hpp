#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "algos/registry.hpp"
#include "sim/proof/buffers.hpp"
#include "sim/proof/fault.hpp"

namespace tutti::proof {

/// What one execution showed. `fault` is the first thing found wrong before the results were looked at.
struct Execution {
  std::int64_t rounds = 0, messages = 0, elements_sent = 0;
  bool asked_for_groups = false;
  std::optional<Fault> fault;
};

/// Runs a case symbolically on one thread: every element carries the ordered contributions it is made of.
///
/// Sends are synchronous (complete when received), which no amount of buffering hides a deadlock from. Since control
/// flow cannot depend on data and messages match in order, one schedule stands for all: it runs in rounds of the
/// k-ported model (Bruck et al., 1997): in a round a rank starts at most `ports` messages, in posting order, and takes
/// in at most `ports`, those first whose receives were posted first; messages to the same peer posted with no wait
/// between travel as one. The number of rounds is that of the last message taken in.
///
/// Reusable for any number of cases; buffers keep their capacity. Not thread-safe.
class Executor {
 public:
  Executor();
  ~Executor();
  Executor(const Executor&) = delete;

  /// Runs `function` on every rank. `places` shape Comm::group. A rank that posts more than `most_operations`, or asks
  /// for far more scratch than all buffers have, is at fault: it would not end. The buffers are readable until the next
  /// run. Throws std::bad_alloc where memory is short and the algorithm is not known to be to blame; the executor is of
  /// no use then.
  Execution run(AlgorithmFunction function, const Case& c, const Choice& choice, int ports, const Places& places = {},
                std::int64_t most_operations = 1 << 30);

  /// Of the process, which has but this executor: what fails for want of memory may then be the algorithm's fault.
  void set_memory_limit(std::size_t bytes);

  const Buffers& buffers(Rank rank) const;
  /// After a barrier: whether `other` had entered it for certain before `rank` left.
  bool heard_of(Rank rank, Rank other) const;
  TermTable& terms();

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// Compares the executor's buffers with what the collective promises, and that inputs are untouched.
std::optional<Fault> check_results(Executor& executor, const Case& c);
/// The same of one rank's buffers; a barrier promises none.
std::optional<Fault> check_buffers(TermTable& terms, const Case& c, Rank rank, const Buffers& buffers);

}  // namespace tutti::proof
