#pragma once

#include <span>
#include <unordered_map>

#include "runtime/remote_memory.hpp"
#include "runtime/verbs/registrations.hpp"
#include "runtime/verbs/wire.hpp"

namespace tutti::verbs {

/// Memory of this rank that the others may read and write by their adapters.
class Exposed {
 public:
  explicit Exposed(std::span<const Adapter> rails) : rails_(rails) {}
  /// Throws TeamError where the system refuses.
  RemoteKey expose(void* first, std::size_t bytes);
  void conceal(const RemoteKey& own);

 private:
  std::span<const Adapter> rails_;
  std::unordered_map<std::uint64_t, Known> known_;  // by the number in its key
  std::uint64_t next_ = 0;
};

/// Where others find exposed memory, as its key says: its address, and its key by rail.
Offer offer_of(const RemoteKey& theirs);

}  // namespace tutti::verbs
