#include "runtime/shm/remote_access.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>

namespace tutti::shm {
namespace {

// A key's words.
enum : std::size_t { kInHeap, kPlace };  // 1: in the heap; its first byte there, or its address

}  // namespace

RemoteKey RemoteAccess::expose(void* first, std::size_t bytes) {
  auto* const begin = static_cast<std::byte*>(first);
  std::byte* const heap = own_heap_->memory();
  const bool inside = std::less_equal<>{}(heap, begin) && std::less_equal<>{}(begin + bytes, heap + own_heap_->bytes());
  RemoteKey key;
  key.words[kInHeap] = inside;
  key.words[kPlace] = inside ? static_cast<std::uint64_t>(begin - heap) : reinterpret_cast<std::uintptr_t>(begin);
  return key;
}

std::byte* RemoteAccess::here(const Peer& peer, const RemoteKey& key) const {
  if (key.words[kInHeap]) return peer.heap->memory() + key.words[kPlace];
  return peer.process == getpid() ? reinterpret_cast<std::byte*>(key.words[kPlace]) : nullptr;
}

std::string RemoteAccess::why_not(Rank rank, const RemoteKey& key) {
  const Peer& peer = peers_[rank];
  if (here(peer, key)) return "";
  const std::string outside = "it is not of Team::alloc, and cross-memory access ";
  if (wish_ == CrossMemoryWish::never) return outside + "is switched off (TUTTI_CMA=never)";
  const CrossMemory memory(peer.process);
  std::byte byte{};
  if (!memory.read(&byte, key.words[kPlace], 1) || !memory.write(key.words[kPlace], &byte, 1))
    return outside + "fails: " + std::strerror(errno);
  return "";
}

void RemoteAccess::get(Rank from, const RemoteKey& key, std::uint64_t offset, void* into, std::size_t bytes,
                       std::uint32_t& pending) {
  const Peer& peer = peers_[from];
  if (const std::byte* const there = here(peer, key)) {
    std::memcpy(into, there + offset, bytes);
  } else if (!CrossMemory(peer.process).read(static_cast<std::byte*>(into), key.words[kPlace] + offset, bytes)) {
    ++pending;  // for ever
    inbox_.failed(from, std::string("its memory cannot be read: ") + std::strerror(errno));
  }
}

void RemoteAccess::put(Rank to, const RemoteKey& key, std::uint64_t offset, const void* what, std::size_t bytes,
                       std::uint32_t& pending) {
  const Peer& peer = peers_[to];
  if (std::byte* const there = here(peer, key)) {
    std::memcpy(there + offset, what, bytes);
  } else if (!CrossMemory(peer.process).write(key.words[kPlace] + offset, static_cast<const std::byte*>(what), bytes)) {
    ++pending;
    inbox_.failed(to, std::string("its memory cannot be written: ") + std::strerror(errno));
  }
}

}  // namespace tutti::shm
