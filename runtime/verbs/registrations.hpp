#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "runtime/verbs/adapter.hpp"

namespace tutti::verbs {

/// Memory made known to every rail: a key per rail, for the peer (remote) and for this rank's own work requests
/// (local).
struct Known {
  std::vector<MemoryRegion> regions;  // one per rail

  std::uint32_t local_key(std::size_t rail) const { return regions[rail]->lkey; }
  std::uint32_t remote_key(std::size_t rail) const { return regions[rail]->rkey; }
};
/// No regions where the system refuses (errno says why: too much memory locked, or not this process's).
enum class PeersMay { read, read_and_write };
Known make_known(std::span<const Adapter> rails, void* first, std::size_t bytes, PeersMay peers_may = PeersMay::read);

/// Registrations of others' memory, counted by their users. One that nobody uses is kept for the next user until
/// forget(): whoever uses this calls that when the memory's owner may unmap it, since adapters would go on to read and
/// write pages that are no longer the owner's.
class Registrations {
 public:
  struct Entry {
    std::uintptr_t first = 0, last = 0;  // one past the end
    Known known;
    int users = 0;
  };

  explicit Registrations(std::span<const Adapter> rails) : rails_(rails) {}
  /// The registration that covers the bytes, with one more user; nullptr where the system refuses.
  Entry* acquire(const void* first, std::size_t bytes);
  void release(Entry* entry) { --entry->users; }
  /// Gives up those without users.
  void forget();

 private:
  std::span<const Adapter> rails_;
  std::multimap<std::uintptr_t, Entry> entries_;  // by first
  std::size_t longest_ = 0;                       // no entry has more bytes
};

/// Registered memory of our own, for messages whose bytes do not lie in one piece; kept for the next one.
class Staging {
 public:
  struct Buffer {
    std::unique_ptr<std::byte[]> memory;
    std::size_t bytes = 0;
    Known known;
  };
  explicit Staging(std::span<const Adapter> rails) : rails_(rails) {}
  /// At least so many bytes; nullptr where the system refuses.
  std::unique_ptr<Buffer> take(std::size_t bytes);
  void give_back(std::unique_ptr<Buffer> buffer);

 private:
  std::span<const Adapter> rails_;
  std::multimap<std::size_t, std::unique_ptr<Buffer>> free_;  // by size
};

}  // namespace tutti::verbs
