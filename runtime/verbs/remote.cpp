// One-sided accesses: pieces read from or written to memory that a peer has exposed, over all rails in turn.
#include <cerrno>
#include <cstring>

#include "runtime/verbs/verbs.hpp"

namespace tutti::verbs {
namespace {

// A key's words: where it begins, its number at its owner, and the rails' keys, two in a word.
enum : std::size_t { kAddress, kNumber, kKeys };
static_assert(kKeys + (kMostRails + 1) / 2 <= std::tuple_size_v<decltype(RemoteKey::words)>);

}  // namespace

RemoteKey Verbs::expose(void* first, std::size_t bytes) {
  Known known = make_known(rails_, first, bytes, PeersMay::read_and_write);
  if (known.regions.empty())
    throw TeamError("verbs device " + rails_[0].name() + ": cannot register " + std::to_string(bytes) +
                    " bytes for others to write: " + std::strerror(errno));
  RemoteKey key;
  key.words[kAddress] = reinterpret_cast<std::uintptr_t>(first);
  key.words[kNumber] = next_exposed_;
  for (std::size_t rail = 0; rail < rails_.size(); ++rail)
    key.words[kKeys + rail / 2] |= std::uint64_t{known.remote_key(rail)} << (rail % 2 * 32);
  exposed_.emplace(next_exposed_++, std::move(known));
  return key;
}

void Verbs::conceal(const RemoteKey& own) { exposed_.erase(own.words[kNumber]); }

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
  Peer& peer = peers_[static_cast<std::size_t>(rank)];
  ++pending;
  if (peer.state == Peer::State::failed || peer.left) return;  // has been reported, or will be
  Fetch fetching;
  fetching.from = rank;
  fetching.where.address = theirs.words[kAddress] + offset;
  for (std::size_t rail = 0; rail < fetching.where.keys.size(); ++rail)
    fetching.where.keys[rail] = static_cast<std::uint32_t>(theirs.words[kKeys + rail / 2] >> (rail % 2 * 32));
  fetching.bytes = bytes;
  fetching.into = Region::contiguous(here, bytes);
  fetching.pending = &pending;
  fetching.writes = writes;
  fetching.entry = registrations_.acquire(here, bytes);
  if (!fetching.entry)
    return fail(rank, "cannot register " + std::to_string(bytes) + " bytes to access it: " + std::strerror(errno));
  const std::uint32_t id = take(fetches_, free_fetches_);
  fetches_[id] = std::move(fetching);
  peer.fetching.push_back(id);
  connect(rank);
  if (peer.fetching.front() == id) fetch(rank);
}

}  // namespace tutti::verbs
