// The set-up and the end.
#include "runtime/tcp/transport.hpp"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cstdlib>
#include <cstring>

#include "runtime/environment.hpp"
#include "runtime/error.hpp"
#include "runtime/host.hpp"
#include "runtime/tcp/tcp.hpp"

namespace tutti {
namespace tcp {
namespace {

// How long a leaving rank waits until the system has its last bytes; where one is lost, they say no more than that.
constexpr std::chrono::seconds kLeaveLimit(10), kLeaveLimitWhereOneIsLost(2);

struct CardHead {
  Secret::Bytes number{};
  std::uint64_t eager_limit_bytes = 0;
  std::uint16_t port = 0;
};

[[noreturn]] void refused(const char* what) {
  throw TeamError(std::string("tcp: ") + what + ": " + std::strerror(errno));
}

Settings settings_from_environment() {
  Settings settings;
  settings.seconds = from_environment("TUTTI_TCP_SECONDS", settings.seconds, 1, 86400);
  settings.eager_limit_bytes =
      from_environment<std::uint64_t>("TUTTI_TCP_EAGER_BYTES", settings.eager_limit_bytes, 0, std::uint64_t{1} << 40);
  return settings;
}

/// Those at which others can reach this rank. One host's ranks need no other than loopback, and of an interface that
/// somebody chose one address is enough.
std::vector<Address> addresses_of(bool one_host) {
  std::vector<Address> all = own_addresses();
  const bool chosen = std::getenv("TUTTI_TCP_INTERFACE") != nullptr;
  if (chosen) all.resize(1);
  if (chosen || !one_host) return all;
  for (const Address& address : all)
    if (text_of(address) == "127.0.0.1") return {address};
  return all;
}

/// A socket that is bound to that address; to any, without one.
Descriptor bound_to(const std::optional<Address>& address) {
  // Any of both families, or of the one that there is.
  for (const int length : {16, 4}) {
    if (address && address->length != length) continue;
    Address any;
    any.length = static_cast<std::uint8_t>(length);
    socklen_t size = 0;
    const sockaddr_storage at = socket_address(address.value_or(any), 0, size);
    Descriptor made(socket(at.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int both_families = 0;
    if (made.is_open() &&
        (length == 4 || setsockopt(*made, IPPROTO_IPV6, IPV6_V6ONLY, &both_families, sizeof both_families) == 0) &&
        bind(*made, reinterpret_cast<const sockaddr*>(&at), size) == 0)
      return made;
  }
  refused("no socket to listen at");
}

}  // namespace

Tcp::Tcp(Rank self, Inbox& inbox, const Settings& settings, std::vector<Address> addresses)
    : self_(self),
      inbox_(inbox),
      settings_(settings),
      addresses_(std::move(addresses)),
      listening_(bound_to(addresses_.size() == 1 ? std::optional(addresses_[0]) : std::nullopt)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      spare_(open("/dev/null", O_RDONLY | O_CLOEXEC)) {
  if (!epoll_.is_open()) refused("no epoll");
  // Who connects and is silent is the system's business alone for as long as this: it costs a rank nothing.
  const int silent_seconds = 1;
  setsockopt(*listening_, IPPROTO_TCP, TCP_DEFER_ACCEPT, &silent_seconds, sizeof silent_seconds);
  if (listen(*listening_, SOMAXCONN) != 0) refused("cannot listen");
  if (!watch(EPOLL_CTL_ADD, *listening_, EPOLLIN, Source::listening, 0)) refused("cannot watch a socket");
}

std::string Tcp::endpoint() const {
  CardHead head;
  head.number = number_;
  head.eager_limit_bytes = settings_.eager_limit_bytes;
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  if (getsockname(*listening_, reinterpret_cast<sockaddr*>(&bound), &length) != 0) refused("no port");
  head.port = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(bound).sin6_port
                                                : reinterpret_cast<const sockaddr_in&>(bound).sin_port);
  std::string endpoint(reinterpret_cast<const char*>(&head), sizeof head);
  for (const Address& address : addresses_)
    if (bound.ss_family == AF_INET6 || address.length == 4)
      endpoint.append(reinterpret_cast<const char*>(&address), sizeof address);
  return endpoint;
}

void Tcp::meet(const std::vector<std::string>& endpoints, const Secret& secret) {
  peers_.resize(endpoints.size());
  ins_.resize(endpoints.size());
  for (std::size_t rank = 0; rank < endpoints.size(); ++rank) {
    const std::string& endpoint = endpoints[rank];
    CardHead head;
    if (endpoint.size() < sizeof head || (endpoint.size() - sizeof head) % sizeof(Address) != 0)
      throw TeamError("tcp: rank " + std::to_string(rank) + " introduced itself in a way that is not understood");
    std::memcpy(&head, endpoint.data(), sizeof head);
    if (rank == 0)
      key_ = Secret(
          secret.proof_of("tcp" + std::string(reinterpret_cast<const char*>(head.number.data()), head.number.size())));
    peers_[rank].eager_limit_bytes = head.eager_limit_bytes;
    peers_[rank].port = head.port;
    peers_[rank].addresses.resize((endpoint.size() - sizeof head) / sizeof(Address));
    std::memcpy(peers_[rank].addresses.data(), endpoint.data() + sizeof head, endpoint.size() - sizeof head);
  }
}

// --- the end ---------------------------------------------------------------------------------------------------------

/// What the peer there shall know: who was lost, if anybody, and whether our own stream tells it too.
void Tcp::tell_that_we_leave(int descriptor, Parting::OwnStream own) const {
  Parting parting{lost_.value_or(self_), own, {}};
  parting.prove(*key_, self_);
  tell(descriptor, parting);
}

/// Calls that are over have nothing queued. Of those that were given up nothing is begun any more.
Tcp::~Tcp() {
  leaving_ = true;
  if (!key_) return;                                                  // nobody has been met
  if (lost_) peers_[static_cast<std::size_t>(*lost_)].failed = true;  // it is told nothing
  for (std::size_t rank = 0; rank < ins_.size(); ++rank)
    if (ins_[rank])
      tell_that_we_leave(ins_[rank]->descriptor(),
                         peers_[rank].out.begun() ? Parting::OwnStream::some : Parting::OwnStream::none);
  for (const Stranger& one : strangers_)
    if (one.is_here()) tell_that_we_leave(one.descriptor(), Parting::OwnStream::unknown);
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
  bool one_host = true;
  const std::string here = network_domain();
  for (const std::string& there : setting.bootstrap.allgather(here)) one_host &= there == here;
  std::unique_ptr<tcp::Tcp> made;
  std::string endpoint;
  Trouble trouble;
  try {
    made = std::make_unique<tcp::Tcp>(setting.layout.rank, setting.inbox, tcp::settings_from_environment(),
                                      tcp::addresses_of(one_host));
    endpoint = made->endpoint();
  } catch (const std::exception& error) {
    trouble = Trouble(error);
  }
  agree(setting.bootstrap, trouble);
  made->meet(setting.bootstrap.allgather(endpoint), setting.bootstrap.secret());
  return made;
}

}  // namespace tutti
