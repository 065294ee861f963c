#include "runtime/shm/cross_memory.hpp"

#include <sys/uio.h>

#include <cstdlib>
#include <string>

#include "base/error.hpp"

namespace tutti::shm {

bool CrossMemory::read(std::byte* to, std::uint64_t from, std::size_t bytes) const {
  while (bytes > 0) {
    const iovec here{to, bytes}, there{reinterpret_cast<void*>(from), bytes};
    const ssize_t done = process_vm_readv(process_, &here, 1, &there, 1, 0);
    if (done <= 0) return false;
    to += done, from += static_cast<std::uint64_t>(done), bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

bool CrossMemory::write(std::uint64_t to, const std::byte* from, std::size_t bytes) const {
  while (bytes > 0) {
    const iovec here{const_cast<std::byte*>(from), bytes}, there{reinterpret_cast<void*>(to), bytes};
    const ssize_t done = process_vm_writev(process_, &here, 1, &there, 1, 0);
    if (done <= 0) return false;
    to += static_cast<std::uint64_t>(done), from += done, bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

CrossMemoryWish cross_memory_wish() {
  const char* variable = std::getenv("TUTTI_CMA");
  const std::string said = variable ? variable : "";
  if (said == "always") return CrossMemoryWish::always;
  if (said == "never") return CrossMemoryWish::never;
  if (!said.empty()) throw InputError("TUTTI_CMA='" + said + "': expected always or never");
  return CrossMemoryWish::measured;
}

}  // namespace tutti::shm
