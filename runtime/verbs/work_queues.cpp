#include "runtime/verbs/work_queues.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include "runtime/error.hpp"

namespace tutti::verbs {
namespace {

[[noreturn]] void refuse(const Adapter& rail, const char* what) {
  throw TeamError("verbs device " + rail.name() + ": " + what + ": " + std::strerror(errno));
}

}  // namespace

WorkQueues::WorkQueues(std::span<const Adapter> rails, ibv_comp_channel* wakes)
    : sending_(rails[0], kSendPackets), receiving_(rails[0], kReceivePackets) {
  for (std::size_t packet = 0; packet < kSendPackets; ++packet) free_packets_.push_back(packet);
  for (const Adapter& rail : rails) {
    const int depth = static_cast<int>(kMostPosted + (&rail == &rails[0] ? kReceivePackets : 0));
    completions_.emplace_back(ibv_create_cq(rail.context(), depth, nullptr, wakes, 0));
    if (!completions_.back()) refuse(rails[0], "no completion queue");
    room_.push_back(kMostPosted);
  }
  ibv_srq_init_attr wish{};
  wish.attr.max_wr = kReceivePackets;
  wish.attr.max_sge = 1;
  receives_.reset(ibv_create_srq(rails[0].domain(), &wish));
  if (!receives_) refuse(rails[0], "no shared receive queue");
  for (std::size_t packet = 0; packet < kReceivePackets; ++packet)
    if ((errno = post_receive(packet)) != 0) refuse(rails[0], "no receive posted");
}

int WorkQueues::post(ibv_qp* queue_pair, std::size_t rail, ibv_send_wr& request, const Work& work) {
  const std::uint32_t id = works_.put(work);
  request.wr_id = id;
  request.send_flags |= IBV_SEND_SIGNALED;
  ibv_send_wr* bad;
  if (const int error = ibv_post_send(queue_pair, &request, &bad)) {
    works_.give_back(id);
    return error;
  }
  --room_[rail];
  if (work.kind == Work::Kind::packet) free_packets_.pop_back();
  return 0;
}

int WorkQueues::post_receive(std::size_t packet) {
  ibv_sge piece = receiving_.piece(packet, kPacketBytes);
  ibv_recv_wr work{}, *bad;
  work.wr_id = kReceive | packet;
  work.sg_list = &piece;
  work.num_sge = 1;
  return ibv_post_srq_recv(receives_.get(), &work, &bad);
}

Work WorkQueues::take(std::size_t rail, const ibv_wc& done) {
  const Work work = works_.give_back(static_cast<std::uint32_t>(done.wr_id));
  ++room_[rail];
  if (work.kind == Work::Kind::packet) free_packets_.push_back(work.id);
  return work;
}

}  // namespace tutti::verbs
