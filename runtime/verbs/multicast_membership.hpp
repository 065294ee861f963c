#pragma once

#include <rdma/rdma_cma.h>

#include "runtime/verbs/adapter.hpp"

namespace tutti::verbs {

/// A port's membership of a job's multicast group, by the kernel's connection manager (librdmacm): it asks whom the
/// network has for that, and knows how the group is reached and which key its packets carry. On Ethernet (RoCE v2)
/// these are the host's interface and the switches (IGMP), which is tested; on InfiniBand the subnet's administrator,
/// by the same calls, which is not: no software device has that link layer. For as long as this lives.
class MulticastMembership {
 public:
  /// The members agree on `job`, which names the group: 239.x.y.z, or what IP over InfiniBand maps that to. The port
  /// must have an IPv4 address, on InfiniBand that of an interface over it, because a group is joined from one. Waits
  /// for the network's answer, ten seconds at most. Throws TeamError, saying what is missing.
  MulticastMembership(const Adapter& rail, std::uint64_t job);
  ~MulticastMembership();
  MulticastMembership(const MulticastMembership&) = delete;
  /// How packets get to the group, whose address is the way's.
  const ibv_ah_attr& way() const { return way_; }
  const ibv_gid& group() const { return way_.grh.dgid; }
  /// For the header of packets to the group.
  std::uint32_t queue_pair() const { return queue_pair_; }
  std::uint32_t key() const { return key_; }
  /// Makes a new queue pair of unreliable datagrams one of the group's port, partition and key. 0, or errno.
  int initialize(ibv_qp* queue_pair) const;

 private:
  using Channel = std::unique_ptr<rdma_event_channel, Release<rdma_destroy_event_channel>>;
  using Identity = std::unique_ptr<rdma_cm_id, Release<rdma_destroy_id>>;
  Identity bound_to(const Adapter& rail, in_addr address) const;
  void wait_for_answer(const Adapter& rail);

  Channel channel_;
  Identity identity_;
  sockaddr_in group_;
  ibv_ah_attr way_{};
  std::uint32_t queue_pair_ = 0, key_ = 0;
};

}  // namespace tutti::verbs
