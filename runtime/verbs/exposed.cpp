#include "runtime/verbs/exposed.hpp"

#include <cerrno>
#include <cstring>

#include "runtime/error.hpp"

namespace tutti::verbs {
namespace {

// A key's words: where it begins, its number at its owner, and the rails' keys, two in a word.
enum : std::size_t { kAddress, kNumber, kKeys };
static_assert(kKeys + (kMostRails + 1) / 2 <= std::tuple_size_v<decltype(RemoteKey::words)>);

}  // namespace

RemoteKey Exposed::expose(void* first, std::size_t bytes) {
  Known known = make_known(rails_, first, bytes, PeersMay::read_and_write);
  if (known.regions.empty())
    throw TeamError("verbs device " + rails_[0].name() + ": cannot register " + std::to_string(bytes) +
                    " bytes for others to write: " + std::strerror(errno));
  RemoteKey key;
  key.words[kAddress] = reinterpret_cast<std::uintptr_t>(first);
  key.words[kNumber] = next_;
  for (std::size_t rail = 0; rail < rails_.size(); ++rail)
    key.words[kKeys + rail / 2] |= std::uint64_t{known.remote_key(rail)} << (rail % 2 * 32);
  known_.emplace(next_++, std::move(known));
  return key;
}

void Exposed::conceal(const RemoteKey& own) { known_.erase(own.words[kNumber]); }

Offer offer_of(const RemoteKey& theirs) {
  Offer where;
  where.address = theirs.words[kAddress];
  for (std::size_t rail = 0; rail < where.keys.size(); ++rail)
    where.keys[rail] = static_cast<std::uint32_t>(theirs.words[kKeys + rail / 2] >> (rail % 2 * 32));
  return where;
}

}  // namespace tutti::verbs
