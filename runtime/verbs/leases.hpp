#pragma once

#include <memory>
#include <span>

#include "runtime/region.hpp"
#include "runtime/verbs/registrations.hpp"

namespace tutti::verbs {

/// Memory that adapters may read and write for a message: the region itself, or, where that lies in several pieces, a
/// buffer of ours.
struct Lease {
  Registrations::Entry* entry = nullptr;    // of a region in one piece
  std::unique_ptr<Staging::Buffer> packed;  // else

  explicit operator bool() const { return entry || packed; }
  const Known& known() const { return entry ? entry->known : packed->known; }
  std::byte* first(const Region& region) const { return entry ? region.first : packed->memory.get(); }
};

class Leases {
 public:
  explicit Leases(std::span<const Adapter> rails) : registrations_(rails), staging_(rails) {}
  /// None where the system refuses (errno says why).
  Lease take(const Region& region, std::size_t bytes) {
    return region.is_contiguous() ? Lease{registrations_.acquire(region.first, bytes), nullptr}
                                  : Lease{nullptr, staging_.take(bytes)};
  }
  void give_back(Lease lease) {
    if (lease.entry) registrations_.release(lease.entry);
    if (lease.packed) staging_.give_back(std::move(lease.packed));
  }
  /// See Registrations::forget.
  void forget() { registrations_.forget(); }

 private:
  Registrations registrations_;
  Staging staging_;
};

}  // namespace tutti::verbs
