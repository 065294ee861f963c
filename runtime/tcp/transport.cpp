// The set-up and the end.
#include "runtime/tcp/transport.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "runtime/environment.hpp"
#include "runtime/error.hpp"
#include "runtime/tcp/tcp.hpp"

namespace tutti {
namespace tcp {
namespace {

// How long a leaving rank waits until the system has its last bytes; where one is lost, they say no more than that.
constexpr std::chrono::seconds kLeaveLimit(10), kLeaveLimitWhereOneIsLost(2);

struct CardHead {
  std::uint64_t job = 0;  // rank 0's counts: a number that connections of other jobs do not carry
  std::uint16_t port = 0;
};

[[noreturn]] void refused(const char* what) {
  throw TeamError(std::string("tcp: ") + what + ": " + std::strerror(errno));
}

Settings settings_from_environment() {
  Settings settings;
  settings.seconds = from_environment("TUTTI_TCP_SECONDS", settings.seconds, 1, 86400);
  settings.unasked_bytes =
      from_environment<std::uint64_t>("TUTTI_TCP_EAGER_BYTES", settings.unasked_bytes, 0, std::uint64_t{1} << 40);
  return settings;
}

}  // namespace

Tcp::Tcp(Rank self, Inbox& inbox, const Settings& settings)
    : self_(self), inbox_(inbox), settings_(settings), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_.is_open()) refused("no epoll");
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  listening_ = Descriptor(socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int both_families = 0;
  if (!listening_.is_open() ||
      setsockopt(*listening_, IPPROTO_IPV6, IPV6_V6ONLY, &both_families, sizeof both_families) != 0 ||
      bind(*listening_, reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0) {
    sockaddr_in any4{};  // no IPv6 here
    any4.sin_family = AF_INET;
    listening_ = Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!listening_.is_open() || bind(*listening_, reinterpret_cast<const sockaddr*>(&any4), sizeof any4) != 0)
      refused("no socket to listen at");
  }
  if (listen(*listening_, SOMAXCONN) != 0) refused("cannot listen");
  if (!watch(EPOLL_CTL_ADD, *listening_, EPOLLIN, Source::listening, 0)) refused("cannot watch a socket");
}

std::string Tcp::card() const {
  std::random_device random;
  CardHead head;
  head.job = static_cast<std::uint64_t>(random()) << 32 | random();
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  if (getsockname(*listening_, reinterpret_cast<sockaddr*>(&bound), &length) != 0) refused("no port");
  head.port = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(bound).sin6_port
                                                : reinterpret_cast<const sockaddr_in&>(bound).sin_port);
  std::string card(reinterpret_cast<const char*>(&head), sizeof head);
  for (const Address& address : own_addresses())
    if (bound.ss_family == AF_INET6 || address.length == 4)
      card.append(reinterpret_cast<const char*>(&address), sizeof address);
  return card;
}

void Tcp::meet(const std::vector<std::string>& cards) {
  peers_.resize(cards.size());
  for (std::size_t rank = 0; rank < cards.size(); ++rank) {
    const std::string& card = cards[rank];
    CardHead head;
    if (card.size() < sizeof head || (card.size() - sizeof head) % sizeof(Address) != 0)
      throw TeamError("tcp: rank " + std::to_string(rank) + " introduced itself in a way that is not understood");
    std::memcpy(&head, card.data(), sizeof head);
    if (rank == 0) job_ = head.job;
    peers_[rank].port = head.port;
    peers_[rank].addresses.resize((card.size() - sizeof head) / sizeof(Address));
    std::memcpy(peers_[rank].addresses.data(), card.data() + sizeof head, card.size() - sizeof head);
  }
}

// --- the end ---------------------------------------------------------------------------------------------------------

/// What the peer behind that stream shall know: who was lost, if anybody, and whether our own stream tells it too.
void Tcp::part(const InStream& in) const {
  using OwnStream = Parting::OwnStream;
  OwnStream own = OwnStream::unknown;
  if (in.from() >= 0) own = peers_[static_cast<std::size_t>(in.from())].out.begun() ? OwnStream::some : OwnStream::none;
  in.leave({lost_.value_or(self_), own});
}

/// Calls that are over have nothing queued. Of those that were given up nothing is begun any more.
Tcp::~Tcp() {
  leaving_ = true;
  if (lost_) peers_[static_cast<std::size_t>(*lost_)].failed = true;  // it is told nothing
  for (const auto& in : ins_)
    if (in->is_open()) part(*in);
  Header header;
  header.kind = Header::Kind::leave;
  header.id = static_cast<std::uint32_t>(lost_.value_or(self_));
  for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
    Peer& peer = peers_[rank];
    if (!peer.out.begun() || peer.failed || peer.left) continue;
    peer.out.drop_queued();
    push(static_cast<Rank>(rank), {header, {}, {}});
  }
  const auto end = Clock::now() + (lost_ ? kLeaveLimitWhereOneIsLost : kLeaveLimit);
  const auto busy = [this] {
    for (const Peer& peer : peers_)
      if (!peer.failed && !peer.left && !peer.out.idle()) return true;
    return false;
  };
  while (busy() && Clock::now() < end) poll(10);
}

}  // namespace tcp

std::unique_ptr<MessageTransport> make_tcp_transport(const TransportSetting& setting) {
  std::unique_ptr<tcp::Tcp> made;
  std::string card, trouble;
  try {
    made = std::make_unique<tcp::Tcp>(setting.layout.rank, setting.inbox, tcp::settings_from_environment());
    card = made->card();
  } catch (const std::exception& error) {
    trouble = error.what();
  }
  agree(setting.bootstrap, trouble);
  made->meet(setting.bootstrap.allgather(card));
  return made;
}

}  // namespace tutti
