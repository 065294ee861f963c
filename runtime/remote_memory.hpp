#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "algos/view.hpp"

namespace tutti {

/// By which peers name a part of a rank's memory: made by the owner's transport for that of its peers, and sent to them
/// as it is.
struct RemoteKey {
  std::array<std::uint64_t, 6> words{};
};

/// A transport's access to memory of peers who take no part in it. As with messages, nothing blocks; who ends or cannot
/// be reached is reported to the Inbox.
class RemoteMemory {
 public:
  virtual ~RemoteMemory() = default;
  /// Until conceal() peers may read and write these bytes, of which there are some. Throws TeamError where the system
  /// refuses.
  virtual RemoteKey expose(void* first, std::size_t bytes) = 0;
  virtual void conceal(const RemoteKey& own) = 0;
  /// Why the peer's memory is out of reach ("…"); empty: it is not. Called before anybody uses the memory.
  virtual std::string why_not(Rank peer, const RemoteKey& theirs) = 0;
  /// Copies bytes (at least one) from `offset` of the peer's memory on, or to there. `pending` counts what is not
  /// complete: it is increased, unless the access is complete at once, and decreased when it is. Until then both
  /// places must stay as they are. A put is complete when its bytes are in the peer's memory.
  virtual void get(Rank from, const RemoteKey& theirs, std::uint64_t offset, void* into, std::size_t bytes,
                   std::uint32_t& pending) = 0;
  virtual void put(Rank to, const RemoteKey& theirs, std::uint64_t offset, const void* what, std::size_t bytes,
                   std::uint32_t& pending) = 0;
};

}  // namespace tutti
