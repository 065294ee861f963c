#pragma once

#include <cstdint>

#include "runtime/shm/peer.hpp"

namespace tutti::shm {

/// Finds out, with a peer that does the same at the same time, from which size on its messages are better read from its
/// memory by a system call than sent through the ring: both send to each other, by turns in the one way and in the
/// other. kNeverRead where that wins nowhere or is refused; `yields`: others want the core. Throws TeamError where the
/// peer ends.
std::uint64_t read_from_by_trial(Peer& peer, const CrossMemory& memory, bool may_read, bool yields);

}  // namespace tutti::shm
