#include "runtime/verbs/multicast_group.hpp"

#include <cerrno>
#include <cstring>

#include "runtime/error.hpp"

namespace tutti::verbs {
namespace {

constexpr std::uint64_t kMulticastReceive = 1u << 31;  // in the work's number, beside the buffer's

[[noreturn]] void refuse(const Adapter& rail, const std::string& what) {
  throw TeamError("verbs device " + rail.name() + ": " + what + ": " + std::strerror(errno));
}

}  // namespace

std::size_t multicast_payload(std::uint8_t least_mtu) {
  return (std::size_t{128} << least_mtu) - sizeof(multicast::Header);
}

MulticastGroup::MulticastGroup(const Adapter& rail, std::uint64_t job, std::size_t payload, ibv_comp_channel* wakes)
    : membership_(rail, job),
      packet_bytes_(sizeof(Header) + payload),
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
  if ((errno = membership_.initialize(queue_pair_.get())) != 0) refuse(rail, "no queue pair for multicast");
  for (std::size_t buffer = 0; buffer < kReceives; ++buffer) post_receive(buffer);
  if ((errno = trouble_) != 0) refuse(rail, "no receive posted");
  for (std::size_t buffer = 0; buffer < kSends; ++buffer) free_.push_back(buffer);
  for (const ibv_qp_state state : {IBV_QPS_RTR, IBV_QPS_RTS}) {
    ibv_qp_attr attributes{};
    attributes.qp_state = state;
    const int mask = state == IBV_QPS_RTS ? IBV_QP_STATE | IBV_QP_SQ_PSN : IBV_QP_STATE;
    if ((errno = ibv_modify_qp(queue_pair_.get(), &attributes, mask)) != 0) refuse(rail, "no queue pair for multicast");
  }
  ibv_ah_attr way = membership_.way();
  way_.reset(ibv_create_ah(rail.domain(), &way));
  if (!way_) refuse(rail, "no way to a multicast group (is there a route to it?)");
  if ((errno = ibv_attach_mcast(queue_pair_.get(), &membership_.group(), way.dlid)) != 0)
    refuse(rail, "cannot join a multicast group");
}

MulticastGroup::~MulticastGroup() { ibv_detach_mcast(queue_pair_.get(), &membership_.group(), membership_.way().dlid); }

void MulticastGroup::post_receive(std::size_t buffer) {
  const Piece into{received(buffer), received_bytes_, *region_};
  if (const int error = verbs::post_receive(queue_pair_.get(), kMulticastReceive | buffer, into)) trouble_ = error;
}

bool MulticastGroup::send(const Header& header, const std::byte* piece, std::size_t bytes) {
  if (free_.empty() || trouble_ != 0) return false;
  const std::size_t buffer = free_.back();
  std::memcpy(outgoing(buffer), &header, sizeof header);
  if (bytes > 0) std::memcpy(outgoing(buffer) + sizeof header, piece, bytes);
  const Piece packet{outgoing(buffer), sizeof header + bytes, *region_};
  trouble_ =
      post_datagram(queue_pair_.get(), buffer, packet, {way_.get(), membership_.queue_pair(), membership_.key()});
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
    const std::size_t buffer = done[i].wr_id & ~kMulticastReceive;
    const bool well = done[i].status == IBV_WC_SUCCESS;
    if (!(done[i].wr_id & kMulticastReceive)) {
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
