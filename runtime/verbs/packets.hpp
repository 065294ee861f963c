#pragma once

#include <cstring>
#include <vector>

#include "runtime/verbs/wire.hpp"

namespace tutti::verbs {

/// Registered packets of kPacketBytes each, which the first rail sends from or receives into.
class Packets {
 public:
  /// Throws TeamError where the adapter refuses.
  Packets(const Adapter& rail, std::size_t count);
  std::byte* operator[](std::size_t packet) { return memory_.data() + packet * kPacketBytes; }
  ibv_sge piece(std::size_t packet, std::size_t bytes);
  std::size_t count() const { return memory_.size() / kPacketBytes; }

 private:
  std::vector<std::byte> memory_;
  MemoryRegion region_;
};

}  // namespace tutti::verbs
