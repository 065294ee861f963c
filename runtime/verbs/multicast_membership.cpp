#include "runtime/verbs/multicast_membership.hpp"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "runtime/error.hpp"

namespace tutti::verbs {
namespace {

constexpr std::chrono::seconds kAnswerLimit(10);

[[noreturn]] void refuse(const Adapter& rail, const std::string& what) {
  throw TeamError("verbs device " + rail.name() + ": " + what);
}
std::string because() { return std::string(": ") + std::strerror(errno); }

/// In the block for groups within an organisation (RFC 2365).
sockaddr_in group_of(std::uint64_t job) {
  sockaddr_in group{};
  group.sin_family = AF_INET;
  group.sin_addr.s_addr = htonl(239u << 24 | static_cast<std::uint32_t>(job & 0xffffff));
  return group;
}

/// The address that the port goes by, where that is one of IPv4 (a port may have others, of other networks); else all
/// of this machine.
std::vector<in_addr> addresses_from(const Adapter& rail) {
  const auto& gid = rail.address().gid;
  in_addr own{};
  std::memcpy(&own, gid.data() + 12, sizeof own);
  if (std::all_of(gid.begin(), gid.begin() + 10, [](std::uint8_t byte) { return byte == 0; }) && gid[10] == 0xff)
    return {own};
  std::vector<in_addr> addresses;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) refuse(rail, "the machine's addresses cannot be asked for" + because());
  for (const ifaddrs* each = first; each; each = each->ifa_next)
    if (each->ifa_addr && each->ifa_addr->sa_family == AF_INET)
      addresses.push_back(reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr);
  freeifaddrs(first);
  return addresses;
}

}  // namespace

MulticastMembership::MulticastMembership(const Adapter& rail, std::uint64_t job)
    : channel_(rdma_create_event_channel()), group_(group_of(job)) {
  if (!channel_) refuse(rail, "no connection manager (is the kernel's module rdma_ucm loaded?)" + because());
  for (const in_addr address : addresses_from(rail))
    if ((identity_ = bound_to(rail, address))) break;
  if (!identity_) refuse(rail, "a multicast group is joined from an IPv4 address, and its port has none");
  if (rdma_join_multicast(identity_.get(), reinterpret_cast<sockaddr*>(&group_), nullptr) != 0)
    refuse(rail, "cannot ask for a multicast group" + because());
  wait_for_answer(rail);
}

/// Nothing where the address is another port's, or none's.
MulticastMembership::Identity MulticastMembership::bound_to(const Adapter& rail, in_addr address) const {
  rdma_cm_id* made = nullptr;
  if (rdma_create_id(channel_.get(), &made, nullptr, RDMA_PS_UDP) != 0)
    refuse(rail, "the connection manager refuses" + because());
  Identity identity(made);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr = address;
  if (rdma_bind_addr(made, reinterpret_cast<sockaddr*>(&here)) != 0 || !made->verbs || made->port_num != rail.port() ||
      std::strcmp(ibv_get_device_name(made->verbs->device), ibv_get_device_name(rail.context()->device)) != 0)
    return {};
  return identity;
}

void MulticastMembership::wait_for_answer(const Adapter& rail) {
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + kAnswerLimit;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    pollfd channel{channel_->fd, POLLIN, 0};
    const int come = left.count() > 0 ? poll(&channel, 1, static_cast<int>(left.count())) : 0;
    if (come == 0)
      refuse(rail, "no answer to a wish to join a multicast group in " + std::to_string(kAnswerLimit.count()) + " s");
    rdma_cm_event* event = nullptr;
    if (come < 0 || rdma_get_cm_event(channel_.get(), &event) != 0) {
      if (errno == EINTR) continue;
      refuse(rail, "the connection manager does not answer" + because());
    }
    const rdma_cm_event_type what = event->event;
    const int status = event->status;
    const rdma_ud_param told = event->param.ud;
    rdma_ack_cm_event(event);
    if (what == RDMA_CM_EVENT_MULTICAST_JOIN) {
      way_ = told.ah_attr;
      queue_pair_ = told.qp_num;
      key_ = told.qkey;
      return;
    }
    if (what == RDMA_CM_EVENT_MULTICAST_ERROR || what == RDMA_CM_EVENT_DEVICE_REMOVAL)
      refuse(rail, std::string("the network lets nobody join a multicast group: ") + std::strerror(std::abs(status)));
  }
}

int MulticastMembership::initialize(ibv_qp* queue_pair) const {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  int mask = 0;
  if (rdma_init_qp_attr(identity_.get(), &attributes, &mask) != 0) return errno;
  return ibv_modify_qp(queue_pair, &attributes, mask);
}

MulticastMembership::~MulticastMembership() {
  rdma_leave_multicast(identity_.get(), reinterpret_cast<sockaddr*>(&group_));
}

}  // namespace tutti::verbs
