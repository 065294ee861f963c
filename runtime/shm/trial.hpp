#pragma once

#include <sched.h>

#include <cstdint>

#include "runtime/shm/peer.hpp"

namespace tutti::shm {

/// Finds out, with a peer that does the same at the same time, from which size on its messages are better read from its
/// memory by a system call than sent through the ring: both send to each other, by turns in the one way and in the
/// other. kNeverRead where that wins nowhere or is refused. The two need a core each meanwhile. Throws TeamError where
/// the peer ends.
std::uint64_t read_from_by_trial(Peer& peer, const CrossMemory& memory, bool may_read);

/// The core that this thread takes for a trial where others want cores too: the first or the last that it may run on;
/// -1 where the system does not say.
int core_for_trial(bool first);

/// Keeps this thread on a core; at its end the thread may run where it could before. Nothing where the system refuses.
class OnCore {
 public:
  explicit OnCore(int core);
  ~OnCore();
  OnCore(const OnCore&) = delete;

 private:
  cpu_set_t before_;
  bool moved_;
};

}  // namespace tutti::shm
