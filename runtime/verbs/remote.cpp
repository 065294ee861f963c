// One-sided accesses: pieces read from or written to memory that a peer has exposed, over all rails in turn.
#include <cerrno>
#include <cstring>

#include "runtime/verbs/verbs.hpp"

namespace tutti::verbs {

void Verbs::get(Rank from, const RemoteKey& theirs, std::uint64_t offset, void* into, std::size_t bytes,
                std::uint32_t& pending) {
  access(from, theirs, offset, into, bytes, pending, false);
}

void Verbs::put(Rank to, const RemoteKey& theirs, std::uint64_t offset, const void* what, std::size_t bytes,
                std::uint32_t& pending) {
  access(to, theirs, offset, const_cast<void*>(what), bytes, pending, true);
}

void Verbs::access(Rank rank, const RemoteKey& theirs, std::uint64_t offset, void* here, std::size_t bytes,
                   std::uint32_t& pending, bool writes) {
  Peer& peer = peers_[rank];
  ++pending;
  if (peer.state == Peer::State::failed || peer.left) return;  // has been reported, or will be
  Fetch fetching;
  fetching.from = rank;
  fetching.where = offer_of(theirs);
  fetching.where.address += offset;
  fetching.bytes = bytes;
  fetching.into = Region::contiguous(here, bytes);
  fetching.pending = &pending;
  fetching.writes = writes;
  fetching.memory = leases_.take(fetching.into, bytes);
  if (!fetching.memory)
    return fail(rank, "cannot register " + std::to_string(bytes) + " bytes to access it: " + std::strerror(errno));
  const std::uint32_t id = fetches_.put(std::move(fetching));
  peer.fetching.push_back(id);
  connect(rank);
  if (peer.fetching.front() == id) fetch(rank);
}

}  // namespace tutti::verbs
