#include "runtime/verbs/packets.hpp"

#include "runtime/error.hpp"

namespace tutti::verbs {

Packets::Packets(const Adapter& rail, std::size_t count)
    : memory_(count * kPacketBytes),
      region_(ibv_reg_mr(rail.domain(), memory_.data(), memory_.size(), IBV_ACCESS_LOCAL_WRITE)) {
  if (!region_)
    throw TeamError("verbs device " + rail.name() + ": cannot register " + std::to_string(memory_.size()) +
                    " bytes for packets: " + std::strerror(errno) + " (is `ulimit -l` too low?)");
}

ibv_sge Packets::piece(std::size_t packet, std::size_t bytes) {
  return {reinterpret_cast<std::uintptr_t>((*this)[packet]), static_cast<std::uint32_t>(bytes), region_->lkey};
}

}  // namespace tutti::verbs
