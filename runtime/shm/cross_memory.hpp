#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace tutti::shm {

/// Reading and writing the memory of another process by system calls (cross-memory attach). A kernel can forbid it, and
/// where it is allowed it may still be slower than copying through shared memory, so that it is tried before it is
/// used.
class CrossMemory {
 public:
  CrossMemory() = default;
  explicit CrossMemory(pid_t process) : process_(process) {}
  /// False where the system refuses; then some bytes may have been read.
  bool read(std::byte* to, std::uint64_t from, std::size_t bytes) const;
  bool write(std::uint64_t to, const std::byte* from, std::size_t bytes) const;

 private:
  pid_t process_ = 0;
};

/// What TUTTI_CMA says: always or never; measured where it says nothing. Throws InputError on another value.
enum class CrossMemoryWish { measured, always, never };
CrossMemoryWish cross_memory_wish();

}  // namespace tutti::shm
