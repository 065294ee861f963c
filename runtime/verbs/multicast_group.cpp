#include "runtime/verbs/multicast_group.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/error.hpp"

namespace tutti::verbs {
namespace {

constexpr std::uint32_t kQueueKey = 0x7475746d, kEverybody = 0xffffff;
constexpr std::uint64_t kReceive = 1u << 31;  // in the work's number, beside the buffer's

[[noreturn]] void refuse(const Adapter& rail, const std::string& what) {
  throw TeamError("verbs device " + rail.name() + ": " + what + ": " + std::strerror(errno));
}

bool holds_ipv4(const ibv_gid& gid) {
  return std::all_of(gid.raw, gid.raw + 10, [](std::uint8_t byte) { return byte == 0; }) && gid.raw[10] == 0xff;
}

/// In the block for groups within an organisation (RFC 2365), or one of all networks (RFC 4291), like the port's own.
ibv_gid group_of(const ibv_gid& port, std::uint64_t job) {
  ibv_gid group{};
  const std::size_t first = holds_ipv4(port) ? 13 : 8;
  if (first == 13)
    group.raw[10] = group.raw[11] = 0xff, group.raw[12] = 239;
  else
    group.raw[0] = 0xff, group.raw[1] = 0x0e;
  for (std::size_t i = first; i < 16; ++i, job >>= 8) group.raw[i] = static_cast<std::uint8_t>(job);
  return group;
}

}  // namespace

std::size_t multicast_payload(std::uint8_t least_mtu) {
  return (std::size_t{128} << least_mtu) - sizeof(multicast::Header);
}

MulticastGroup::MulticastGroup(const Adapter& rail, std::uint64_t job, std::size_t payload, ibv_comp_channel* wakes)
    : packet_bytes_(sizeof(Header) + payload),
      received_bytes_(kGlobalHeader + packet_bytes_),
      memory_(kReceives * received_bytes_ + kSends * packet_bytes_),
      region_(ibv_reg_mr(rail.domain(), memory_.data(), memory_.size(), IBV_ACCESS_LOCAL_WRITE)),
      completions_(ibv_create_cq(rail.context(), kReceives + kSends, nullptr, wakes, 0)) {
  if (!region_) refuse(rail, "cannot register " + std::to_string(memory_.size()) + " bytes for multicast");
  if (!completions_) refuse(rail, "no completion queue");
  ibv_qp_init_attr wish{};
  wish.qp_type = IBV_QPT_UD;
  wish.send_cq = wish.recv_cq = completions_.get();
  wish.cap.max_send_wr = kSends;
  wish.cap.max_recv_wr = kReceives;
  wish.cap.max_send_sge = wish.cap.max_recv_sge = 1;
  queue_pair_.reset(ibv_create_qp(rail.domain(), &wish));
  if (!queue_pair_) refuse(rail, "no queue pair for multicast");
  ibv_qp_attr attributes{};
  attributes.port_num = static_cast<std::uint8_t>(rail.port());
  attributes.qkey = kQueueKey;
  const auto change = [&](ibv_qp_state state, int mask) {
    attributes.qp_state = state;
    if ((errno = ibv_modify_qp(queue_pair_.get(), &attributes, IBV_QP_STATE | mask)) != 0)
      refuse(rail, "no queue pair for multicast");
  };
  change(IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
  for (std::size_t buffer = 0; buffer < kReceives; ++buffer) post_receive(buffer);
  if ((errno = trouble_) != 0) refuse(rail, "no receive posted");
  for (std::size_t buffer = 0; buffer < kSends; ++buffer) free_.push_back(buffer);
  change(IBV_QPS_RTR, 0);
  change(IBV_QPS_RTS, IBV_QP_SQ_PSN);
  try {
    join(rail, job);
  } catch (...) {
    if (socket_ >= 0) close(socket_);
    throw;
  }
}

void MulticastGroup::join(const Adapter& rail, std::uint64_t job) {
  ibv_gid_entry own;
  if ((errno = ibv_query_gid_ex(rail.context(), static_cast<std::uint32_t>(rail.port()),
                                static_cast<std::uint32_t>(rail.gid_index()), &own, 0)) != 0)
    refuse(rail, "its address cannot be asked for");
  if (own.gid_type != IBV_GID_TYPE_ROCE_V2)
    throw TeamError("verbs device " + rail.name() + ": multicast is for RoCE v2 alone");
  group_ = group_of(own.gid, job);

  // The queue pair's joining does not make the host's interface take the group's frames; a socket's does.
  const bool ipv4 = holds_ipv4(own.gid);
  socket_ = socket(ipv4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ip_mreqn by_ipv4{};
  std::memcpy(&by_ipv4.imr_multiaddr, &group_.raw[12], 4);
  by_ipv4.imr_ifindex = static_cast<int>(own.ndev_ifindex);
  ipv6_mreq by_ipv6{};
  std::memcpy(&by_ipv6.ipv6mr_multiaddr, group_.raw, 16);
  by_ipv6.ipv6mr_interface = own.ndev_ifindex;
  const int done = ipv4 ? setsockopt(socket_, IPPROTO_IP, IP_ADD_MEMBERSHIP, &by_ipv4, sizeof by_ipv4)
                        : setsockopt(socket_, IPPROTO_IPV6, IPV6_JOIN_GROUP, &by_ipv6, sizeof by_ipv6);
  if (socket_ < 0 || done != 0) refuse(rail, "its interface cannot join a multicast group");

  ibv_ah_attr way{};
  way.port_num = static_cast<std::uint8_t>(rail.port());
  way.is_global = 1;
  way.grh.dgid = group_;
  way.grh.sgid_index = static_cast<std::uint8_t>(rail.gid_index());
  way.grh.hop_limit = 64;
  way_.reset(ibv_create_ah(rail.domain(), &way));
  if (!way_) refuse(rail, "no way to a multicast group (is there a route to it?)");
  if ((errno = ibv_attach_mcast(queue_pair_.get(), &group_, 0)) != 0) refuse(rail, "cannot join a multicast group");
  attached_ = true;
}

MulticastGroup::~MulticastGroup() {
  if (attached_) ibv_detach_mcast(queue_pair_.get(), &group_, 0);
  if (socket_ >= 0) close(socket_);
}

void MulticastGroup::post_receive(std::size_t buffer) {
  const Piece into{received(buffer), received_bytes_, *region_};
  if (const int error = verbs::post_receive(queue_pair_.get(), kReceive | buffer, into)) trouble_ = error;
}

bool MulticastGroup::send(const Header& header, const std::byte* piece, std::size_t bytes) {
  if (free_.empty() || trouble_ != 0) return false;
  const std::size_t buffer = free_.back();
  std::memcpy(outgoing(buffer), &header, sizeof header);
  if (bytes > 0) std::memcpy(outgoing(buffer) + sizeof header, piece, bytes);
  const Piece packet{outgoing(buffer), sizeof header + bytes, *region_};
  trouble_ = post_datagram(queue_pair_.get(), buffer, packet, {way_.get(), kEverybody, kQueueKey});
  if (trouble_ != 0) return false;
  free_.pop_back();
  return true;
}

bool MulticastGroup::receive(
    const std::function<void(const Header&, const std::byte* piece, std::size_t bytes)>& handle) {
  ibv_wc done[16];
  const int count = ibv_poll_cq(completions_.get(), 16, done);
  if (count < 0) trouble_ = EIO;
  for (int i = 0; i < count; ++i) {
    const std::size_t buffer = done[i].wr_id & ~kReceive;
    const bool well = done[i].status == IBV_WC_SUCCESS;
    if (!(done[i].wr_id & kReceive)) {
      if (!well) trouble_ = EIO;
      free_.push_back(buffer);
      continue;
    }
    if (!well) {
      trouble_ = EIO;  // the queue pair does nothing any more
      continue;
    }
    Header header;
    if (done[i].byte_len >= kGlobalHeader + sizeof header) {
      const std::byte* const packet = received(buffer) + kGlobalHeader;
      std::memcpy(&header, packet, sizeof header);
      handle(header, packet + sizeof header, done[i].byte_len - kGlobalHeader - sizeof header);
    }
    post_receive(buffer);
  }
  return count > 0;
}

}  // namespace tutti::verbs
