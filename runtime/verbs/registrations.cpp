#include "runtime/verbs/registrations.hpp"

#include <unistd.h>

#include <algorithm>

namespace tutti::verbs {

Known make_known(std::span<const Adapter> rails, void* first, std::size_t bytes, PeersMay peers_may) {
  const bool write = peers_may == PeersMay::read_and_write;
  const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | (write ? IBV_ACCESS_REMOTE_WRITE : 0);
  Known known;
  for (const Adapter& rail : rails) {
    MemoryRegion region(ibv_reg_mr(rail.domain(), first, bytes, access));
    // What may only be read cannot be registered for writing.
    if (!region && !write) region.reset(ibv_reg_mr(rail.domain(), first, bytes, IBV_ACCESS_REMOTE_READ));
    if (!region) return {};
    known.regions.push_back(std::move(region));
  }
  return known;
}

Registrations::Entry* Registrations::acquire(const void* first, std::size_t bytes) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto wanted = reinterpret_cast<std::uintptr_t>(first);
  const std::uintptr_t begin = wanted / page * page, end = (wanted + bytes + page - 1) / page * page;

  // Entries that begin at or before it, the nearest first, as far back as one could still reach it.
  for (auto at = entries_.upper_bound(begin); at != entries_.begin();) {
    Entry& entry = (--at)->second;
    if (entry.first + longest_ < end) break;
    if (entry.last >= end) {
      ++entry.users;
      return &entry;
    }
  }
  Known known = make_known(rails_, reinterpret_cast<void*>(begin), end - begin);
  if (known.regions.empty()) return nullptr;
  longest_ = std::max(longest_, static_cast<std::size_t>(end - begin));
  return &entries_.emplace(begin, Entry{begin, end, std::move(known), 1})->second;
}

void Registrations::forget() {
  std::erase_if(entries_, [](const auto& entry) { return entry.second.users == 0; });
  if (entries_.empty()) longest_ = 0;
}

std::unique_ptr<Staging::Buffer> Staging::take(std::size_t bytes) {
  const auto found = free_.lower_bound(bytes);
  if (found != free_.end() && found->first <= 2 * bytes) {
    auto buffer = std::move(found->second);
    free_.erase(found);
    return buffer;
  }
  auto buffer = std::make_unique<Buffer>();
  buffer->memory = std::make_unique_for_overwrite<std::byte[]>(bytes);
  buffer->bytes = bytes;
  buffer->known = make_known(rails_, buffer->memory.get(), bytes);
  return buffer->known.regions.empty() ? nullptr : std::move(buffer);
}

void Staging::give_back(std::unique_ptr<Buffer> buffer) {
  constexpr std::size_t kMostKept = 8;
  const std::size_t bytes = buffer->bytes;
  free_.emplace(bytes, std::move(buffer));
  if (free_.size() > kMostKept) free_.erase(free_.begin());
}

}  // namespace tutti::verbs
