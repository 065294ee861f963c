#include "runtime/verbs/datagrams.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "runtime/error.hpp"

namespace tutti::verbs {
namespace {

constexpr std::uint32_t kQueueKey = 0x74757474;
constexpr std::uint64_t kDatagramReceive = 1u << 31;  // in the work's number, beside the buffer's

}  // namespace

Datagrams::Datagrams(const Adapter& rail, ibv_comp_channel* wakes)
    : rail_(rail),
      received_(kBuffers),
      sent_(kBuffers),
      received_region_(ibv_reg_mr(rail.domain(), received_.data(), kBuffers * sizeof(Buffer), IBV_ACCESS_LOCAL_WRITE)),
      sent_region_(ibv_reg_mr(rail.domain(), sent_.data(), kBuffers * sizeof(ConnectMessage), IBV_ACCESS_LOCAL_WRITE)),
      completions_(ibv_create_cq(rail.context(), 2 * static_cast<int>(kBuffers), nullptr, wakes, 0)) {
  ibv_qp_init_attr wish{};
  wish.qp_type = IBV_QPT_UD;
  wish.send_cq = wish.recv_cq = completions_.get();
  wish.cap.max_send_wr = wish.cap.max_recv_wr = kBuffers;
  wish.cap.max_send_sge = wish.cap.max_recv_sge = 1;
  if (received_region_ && sent_region_ && completions_) queue_pair_.reset(ibv_create_qp(rail.domain(), &wish));
  ibv_qp_attr attributes{};
  attributes.port_num = static_cast<std::uint8_t>(rail.port());
  attributes.qkey = kQueueKey;
  bool good = queue_pair_ != nullptr;
  const auto change = [&](ibv_qp_state state, int mask) {
    attributes.qp_state = state;
    good = good && ibv_modify_qp(queue_pair_.get(), &attributes, IBV_QP_STATE | mask) == 0;
  };
  change(IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
  change(IBV_QPS_RTR, 0);
  change(IBV_QPS_RTS, IBV_QP_SQ_PSN);
  if (!good) throw TeamError("verbs device " + rail.name() + ": no datagram queue pair: " + std::strerror(errno));
  for (std::size_t buffer = 0; buffer < kBuffers; ++buffer) {
    free_.push_back(buffer);
    post_receive(buffer);
  }
  if (trouble_ != 0) throw TeamError("verbs device " + rail.name() + ": no receive posted: " + std::strerror(trouble_));
}

void Datagrams::post_receive(std::size_t buffer) {
  const Piece into{&received_[buffer], sizeof(Buffer), *received_region_};
  if (const int error = verbs::post_receive(queue_pair_.get(), kDatagramReceive | buffer, into)) trouble_ = error;
}

int Datagrams::send(Rank to, const Endpoint& endpoint, const ConnectMessage& message) {
  if (free_.empty()) return 0;
  AddressHandle& way = ways_[to];
  if (!way) {
    ibv_ah_attr attributes = rail_.way_to(endpoint.ports[0]);
    way.reset(ibv_create_ah(rail_.domain(), &attributes));
    if (!way) return errno;
  }
  const std::size_t buffer = free_.back();
  sent_[buffer] = message;
  const Piece what{&sent_[buffer], sizeof(ConnectMessage), *sent_region_};
  if (const int error =
          post_datagram(queue_pair_.get(), buffer, what, {way.get(), endpoint.datagram_queue_pair, kQueueKey}))
    trouble_ = error;
  else
    free_.pop_back();
  return 0;
}

bool Datagrams::receive(const std::function<void(const ConnectMessage&)>& handle) {
  ibv_wc done[16];
  const int count = ibv_poll_cq(completions_.get(), 16, done);
  if (count < 0) trouble_ = EIO;
  for (int i = 0; i < count; ++i) {
    const std::size_t buffer = done[i].wr_id & ~kDatagramReceive;
    if (done[i].status != IBV_WC_SUCCESS) trouble_ = EIO;  // the queue pair does nothing any more
    if (!(done[i].wr_id & kDatagramReceive)) {
      free_.push_back(buffer);
      continue;
    }
    const ConnectMessage message = received_[buffer].message;
    const bool well = done[i].status == IBV_WC_SUCCESS;
    if (well) post_receive(buffer);
    if (well && done[i].byte_len == sizeof(Buffer)) handle(message);
  }
  return count > 0;
}

}  // namespace tutti::verbs
