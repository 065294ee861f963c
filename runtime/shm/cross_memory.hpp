#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace tutti::shm {

/// Reading the memory of another process by a system call (cross-memory attach). A kernel can forbid it, and where it
/// is allowed it may still be slower than copying through shared memory, so that it is tried before it is used.
class CrossMemory {
 public:
  CrossMemory() = default;
  explicit CrossMemory(pid_t process) : process_(process) {}
  /// False where the system refuses; then some bytes may have been read.
  bool read(std::byte* to, std::uint64_t from, std::size_t bytes) const;

 private:
  pid_t process_ = 0;
};

/// Whether to read a peer's memory rather than have it copied through `shared`, memory that the peer has written:
/// `theirs` is the address of as many bytes in the peer. TUTTI_CMA=always or never decides instead of the measurement.
/// `cores_are_shared`: two copies, by two ranks, then take twice as long as one. Throws InputError on another value.
bool cross_memory_wins(const CrossMemory& memory, std::uint64_t theirs, std::span<const std::byte> shared,
                       bool cores_are_shared);

}  // namespace tutti::shm
