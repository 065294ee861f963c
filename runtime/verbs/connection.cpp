#include "runtime/verbs/connection.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/error.hpp"

namespace tutti::verbs {
namespace {

// A packet that is not acknowledged in 4.096 us * 2^18 = 1.1 s is sent again, up to six times (seven would mean for
// ever to some adapters): a peer is given up after 7.5 s, and one that is only slow to be scheduled is not: 2 s were
// not enough for emulated machines beside other work.
constexpr std::uint8_t kTimeout = 18, kRetries = 6;
// A peer that has no receive buffer left is asked again without end (7): it lives, but is busy. 5: after 0.06 ms.
constexpr std::uint8_t kRetriesWhileBusy = 7, kBusyTimer = 5;

bool change(ibv_qp* queue_pair, ibv_qp_attr attributes, int mask) {
  errno = ibv_modify_qp(queue_pair, &attributes, mask);
  return errno == 0;
}

bool to_init(ibv_qp* queue_pair, const Adapter& rail) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.port_num = static_cast<std::uint8_t>(rail.port());
  attributes.qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
  return change(queue_pair, attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

std::uint8_t reads_at_once(const Adapter& rail) {
  return static_cast<std::uint8_t>(
      std::clamp(std::min(rail.limits().max_qp_rd_atom, rail.limits().max_qp_init_rd_atom), 1, 16));
}

}  // namespace

Connection::Connection(std::span<const Adapter> rails, std::span<const Queues> queues, std::uint32_t most_posted) {
  for (std::size_t rail = 0; rail < rails.size(); ++rail) {
    ibv_qp_init_attr wish{};
    wish.qp_type = IBV_QPT_RC;
    wish.send_cq = wish.recv_cq = queues[rail].completions;
    wish.srq = queues[rail].receives;
    wish.cap.max_send_wr = most_posted;
    wish.cap.max_send_sge = 1;
    wish.cap.max_inline_data = kMostInline;
    QueuePair made(ibv_create_qp(rails[rail].domain(), &wish));
    if (!made) {  // some adapters inline less or nothing
      wish.cap.max_inline_data = 0;
      made.reset(ibv_create_qp(rails[rail].domain(), &wish));
    }
    if (!made || !to_init(made.get(), rails[rail]))
      throw TeamError("verbs device " + rails[rail].name() + ": no queue pair: " + std::strerror(errno));
    if (rail == 0) inline_bytes_ = std::min(wish.cap.max_inline_data, kMostInline);
    queue_pairs_.push_back(std::move(made));
  }
}

std::array<std::uint32_t, kMostRails> Connection::numbers() const {
  std::array<std::uint32_t, kMostRails> numbers{};
  for (std::size_t rail = 0; rail < queue_pairs_.size(); ++rail) numbers[rail] = queue_pairs_[rail]->qp_num;
  return numbers;
}

bool Connection::connect(std::span<const Adapter> rails, const Endpoint& peer,
                         const std::array<std::uint32_t, kMostRails>& peer_numbers) {
  for (; connected_ < queue_pairs_.size(); ++connected_) {
    const std::size_t rail = connected_;
    ibv_qp* const queue_pair = queue_pairs_[rail].get();
    ibv_qp_attr receive{};
    receive.qp_state = IBV_QPS_RTR;
    receive.path_mtu = static_cast<ibv_mtu>(std::min(rails[rail].address().mtu, peer.ports[rail].mtu));
    receive.dest_qp_num = peer_numbers[rail];
    receive.rq_psn = peer_numbers[rail] & 0xffffff;  // any number that both sides know
    receive.max_dest_rd_atomic = reads_at_once(rails[rail]);
    receive.min_rnr_timer = kBusyTimer;
    receive.ah_attr = rails[rail].way_to(peer.ports[rail]);
    if (!change(queue_pair, receive,
                IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
      return false;
    ibv_qp_attr send{};
    send.qp_state = IBV_QPS_RTS;
    send.sq_psn = queue_pair->qp_num & 0xffffff;
    send.timeout = kTimeout;
    send.retry_cnt = kRetries;
    send.rnr_retry = kRetriesWhileBusy;
    send.max_rd_atomic = reads_at_once(rails[rail]);
    if (!change(queue_pair, send,
                IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                    IBV_QP_MAX_QP_RD_ATOMIC))
      return false;
  }
  return true;
}

}  // namespace tutti::verbs
