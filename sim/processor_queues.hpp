#pragma once

#include <vector>

#include "algos/view.hpp"
#include "sim/pool.hpp"

namespace tutti {

/// Something that occupies a rank's processor.
struct Work {
  enum class Kind : std::uint8_t { inject, receive, local, busy };  // busy: nobody waits for it
  double seconds = 0;                                               // how long it takes; before its bytes flow
  std::int64_t bytes = 0;                                           // still to be moved
  double seconds_per_byte = 0;                                      // of these
  std::uint32_t id : 30 = 0;                                        // the message, or the operation of local work
  Kind kind : 2 = Kind::inject;
  std::uint32_t next = Pool<Work>::kNone;  // of the same processor
};
static_assert(sizeof(Work) == 32);  // two on a line of the cache: an algorithm may post many at once

/// What the processor of each rank has to do, one thing at a time, in posting order.
class ProcessorQueues {
 public:
  struct alignas(64) Processor {
    Work front;                              // what is being done, if it is busy
    std::uint32_t last = Pool<Work>::kNone;  // of the works behind that; kNone: there are none
    bool busy = false;
    bool started = false;  // with the front
    bool running = false;  // its works are being gone through
    double gap_over_seconds = 0;
    double received_seconds = 0;            // when the last message was received, by a transport whose peers change
    Rank sent_to = -1, received_from = -1;  // of the last message by such a transport; -1: there was none
  };
  static_assert(sizeof(Processor) == 64);

  explicit ProcessorQueues(std::size_t ranks) : processors_(ranks) {}
  Processor& operator[](Rank rank) { return processors_[rank]; }
  const Processor& operator[](Rank rank) const { return processors_[rank]; }
  void fetch_ahead(Rank rank) const { __builtin_prefetch(&(*this)[rank]); }
  /// Of the work behind the front.
  void fetch_next(const Processor& processor) const {
    if (processor.front.next != Pool<Work>::kNone) __builtin_prefetch(&behind_[processor.front.next]);
  }

  /// What follows the front; nullptr: nothing yet.
  const Work* behind_front(const Processor& processor) const {
    return processor.front.next == Pool<Work>::kNone ? nullptr : &behind_[processor.front.next];
  }

  /// The place of a new work, behind all others of the processor, which is busy from now on.
  Work& add(Processor& processor) {
    if (!processor.busy) {
      processor.busy = true;
      return processor.front;
    }
    const std::uint32_t slot = behind_.take();
    (processor.last == Pool<Work>::kNone ? processor.front : behind_[processor.last]).next = slot;
    processor.last = slot;
    return behind_[slot];
  }
  /// Takes the front away; the next one is the front, and not started.
  Work pop(Processor& processor) {
    const Work work = processor.front;
    processor.busy = work.next != Pool<Work>::kNone;
    if (processor.busy) {
      processor.front = behind_[work.next];
      behind_.give_back(work.next);
      if (processor.front.next == Pool<Work>::kNone) processor.last = Pool<Work>::kNone;
    }
    processor.started = false;
    return work;
  }

 private:
  std::vector<Processor> processors_;
  Pool<Work> behind_;
};

}  // namespace tutti
