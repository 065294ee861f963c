#pragma once

#include <sched.h>

#include <cstdint>

#include "runtime/shm/peer.hpp"

namespace tutti::shm {

/// Finds out, with a peer that does the same at the same time, from which size on its messages are better read from its
/// memory by a system call than sent through the ring: both send to each other, by turns in the one way and in the
/// other. kNoCrossMemory where that wins nowhere or is refused. The two need a core each meanwhile. Throws TeamError
/// where the peer ends.
std::uint64_t probe_cross_memory(Peer& peer, const CrossMemory& memory, bool may_read);

/// The core that this thread takes for a probe where others want cores too: the first or the last that it may run on;
/// -1 where the system does not say.
int core_for_probe(bool first);

/// Keeps this thread on a core; at its end the thread may run where it could before. Nothing where the system refuses.
class PinnedToCore {
 public:
  explicit PinnedToCore(int core);
  ~PinnedToCore();
  PinnedToCore(const PinnedToCore&) = delete;

 private:
  cpu_set_t before_;
  bool moved_;
};

}  // namespace tutti::shm
