#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/remote_memory.hpp"
#include "runtime/shm/cross_memory.hpp"
#include "runtime/shm/segment.hpp"
#include "runtime/transport.hpp"

namespace tutti::shm {

/// Loads and stores in memory of the ranks of this node: in their heaps, and, of threads of this process, anywhere.
/// Elsewhere in another process by cross-memory calls. Complete at once, or never.
class RemoteAccess final : public RemoteMemory {
 public:
  RemoteAccess(Inbox& inbox, CrossMemoryWish wish, std::shared_ptr<Segment> own_heap, std::size_t ranks)
      : inbox_(inbox), wish_(wish), own_heap_(std::move(own_heap)), peers_(ranks) {}
  void add(Rank peer, pid_t process, std::shared_ptr<Segment> heap) { peers_[peer] = {process, std::move(heap)}; }

  RemoteKey expose(void* first, std::size_t bytes) override;
  void conceal(const RemoteKey&) override {}
  std::string why_not(Rank peer, const RemoteKey& theirs) override;
  void get(Rank from, const RemoteKey& theirs, std::uint64_t offset, void* into, std::size_t bytes,
           std::uint32_t& pending) override;
  void put(Rank to, const RemoteKey& theirs, std::uint64_t offset, const void* what, std::size_t bytes,
           std::uint32_t& pending) override;

 private:
  struct Peer {
    pid_t process = 0;
    std::shared_ptr<Segment> heap;
  };
  /// Where the peer's memory lies in this process; nullptr: it does not.
  std::byte* here(const Peer& peer, const RemoteKey& key) const;

  Inbox& inbox_;
  const CrossMemoryWish wish_;
  std::shared_ptr<Segment> own_heap_;
  std::vector<Peer> peers_;  // by rank
};

}  // namespace tutti::shm
