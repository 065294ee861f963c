#include "runtime/shm/cross_memory.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "algos/error.hpp"

namespace tutti::shm {
namespace {

/// The least of a few.
template <class Copy>
double seconds(const Copy& copy) {
  using Clock = std::chrono::steady_clock;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 5; ++i) {
    const auto begin = Clock::now();
    copy();
    least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return least;
}

}  // namespace

bool CrossMemory::read(std::byte* to, std::uint64_t from, std::size_t bytes) const {
  while (bytes > 0) {
    const iovec here{to, bytes}, there{reinterpret_cast<void*>(from), bytes};
    const ssize_t done = process_vm_readv(process_, &here, 1, &there, 1, 0);
    if (done <= 0) return false;
    to += done, from += static_cast<std::uint64_t>(done), bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

bool cross_memory_wins(const CrossMemory& memory, std::uint64_t theirs, std::span<const std::byte> shared,
                       bool cores_are_shared) {
  const char* variable = std::getenv("TUTTI_CMA");
  const std::string said = variable ? variable : "";
  if (!said.empty() && said != "always" && said != "never")
    throw InputError("TUTTI_CMA='" + said + "': expected always or never");
  std::vector<std::byte> here(shared.size());
  if (said == "never" || !memory.read(here.data(), theirs, 1)) return false;
  if (said == "always") return true;
  const double copied = seconds([&] { std::memcpy(here.data(), shared.data(), shared.size()); });
  const double read = seconds([&] { memory.read(here.data(), theirs, here.size()); });
  return read < copied * (cores_are_shared ? 2 : 1);
}

}  // namespace tutti::shm
