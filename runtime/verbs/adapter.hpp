#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/verbs/handles.hpp"

namespace tutti::verbs {

/// Where a port is found on its network. Sent between processes as it is.
struct PortAddress {
  std::array<std::uint8_t, 16> gid{};
  std::uint16_t lid = 0;
  std::uint8_t mtu = 0;     // ibv_mtu: the longest packet
  std::uint8_t global = 0;  // 1: reached by its GID (RoCE, routed InfiniBand), not by its LID alone
};

/// An open port of an adapter.
class Adapter {
 public:
  /// `gid_index` below 0: by rule. Throws TeamError naming the device and what it refused.
  Adapter(ibv_device* device, int port, int gid_index);

  const std::string& name() const { return name_; }  // "mlx5_0:1"
  ibv_context* context() const { return context_.get(); }
  ibv_pd* domain() const { return domain_.get(); }
  int port() const { return port_; }
  int gid_index() const { return gid_index_; }
  const PortAddress& address() const { return address_; }
  const ibv_device_attr& limits() const { return limits_; }
  /// How to reach another port from this one.
  ibv_ah_attr way_to(const PortAddress& other) const;

 private:
  std::string name_;
  Context context_;
  ProtectionDomain domain_;
  int port_ = 1, gid_index_ = 0;
  PortAddress address_;
  ibv_device_attr limits_{};
};

/// Where a piece of registered memory lies.
struct Piece {
  const void* first;
  std::size_t bytes;
  const ibv_mr& region;
};
/// To whom a datagram goes.
struct DatagramPeer {
  ibv_ah* way;
  std::uint32_t queue_pair, key;
};
/// Both post one work of that number, which its completion names; 0, or the error's number.
int post_receive(ibv_qp* queue_pair, std::uint64_t number, const Piece& into);
int post_datagram(ibv_qp* queue_pair, std::uint64_t number, const Piece& what, const DatagramPeer& to);

/// What the user asked for. TUTTI_VERBS_DEVICES: "mlx5_0,mlx5_1:2" (device[:port], in order; each a rail) or "none";
/// without it: every active port of the fastest kind. TUTTI_VERBS_GID_INDEX overrides the rule for the GID.
/// The rule, on Ethernet: RoCE v2 before v1, and of each an IPv4 address before a routable IPv6 before a link-local
/// one, because the first is what operators configure; on InfiniBand: index 0.
/// Empty where there is no such device. Throws InputError where a name or number makes no sense, TeamError where a
/// device cannot be used and was named, or cannot be opened and was not left out.
std::vector<Adapter> open_adapters();

}  // namespace tutti::verbs
