#include "runtime/tcp/transport.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>

#include "algos/error.hpp"
#include "runtime/error.hpp"
#include "runtime/tcp/tcp.hpp"

namespace tutti {
namespace tcp {
namespace {

constexpr std::chrono::seconds kLeaveLimit(10);

struct CardHead {
  std::uint64_t job = 0;  // rank 0's counts: a number that connections of other jobs do not carry
  std::uint16_t port = 0;
};

template <class Pool>
std::uint32_t put(Pool& pool, std::vector<std::uint32_t>& free, typename Pool::value_type value) {
  if (free.empty()) {
    pool.push_back(std::move(value));
    return static_cast<std::uint32_t>(pool.size() - 1);
  }
  const std::uint32_t id = free.back();
  free.pop_back();
  pool[id] = std::move(value);
  return id;
}

[[noreturn]] void refused(const char* what) {
  throw TeamError(std::string("tcp: ") + what + ": " + std::strerror(errno));
}

}  // namespace

Tcp::Tcp(Rank self, Inbox& inbox, int seconds)
    : self_(self), inbox_(inbox), seconds_(seconds), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
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
  watch(EPOLL_CTL_ADD, *listening_, EPOLLIN, Source::listening, 0);
}

std::string Tcp::card() const {
  std::random_device random;
  CardHead head;
  head.job = static_cast<std::uint64_t>(random()) << 32 | random();
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  getsockname(*listening_, reinterpret_cast<sockaddr*>(&bound), &length);
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

void Tcp::watch(int operation, int descriptor, std::uint32_t events, Source source, std::size_t index) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = static_cast<std::uint64_t>(source) << 32 | index;
  epoll_ctl(*epoll_, operation, descriptor, &event);
}

void Tcp::fail(Rank rank, std::string reason) {
  Peer& peer = peers_[static_cast<std::size_t>(rank)];
  if (peer.failed || peer.left) return;
  peer.failed = true;
  if (!leaving_) inbox_.failed(rank, std::move(reason));
}

void Tcp::check_peers() {
  for (std::size_t rank = 0; rank < peers_.size(); ++rank)
    if (peers_[rank].left && !std::exchange(peers_[rank].left_reported, true)) inbox_.left(static_cast<Rank>(rank));
}

// --- out -------------------------------------------------------------------------------------------------------------

bool Tcp::send(Rank to, const Envelope& envelope, const Region& what, Ticket ticket) {
  Peer& peer = peers_[static_cast<std::size_t>(to)];
  if (peer.failed || peer.left) return false;
  Header header;
  header.envelope = envelope;
  if (envelope.bytes > kMostUnasked) {
    header.kind = Header::Kind::announce;
    header.id = put(given_, free_given_, {what, ticket});
    push(to, {header, {}, {}});
    return false;
  }
  const bool first = peer.out.idle();
  peer.out.push({header, Cursor(what), ticket});
  if (!peer.out.begun()) begin(to);
  if (!first || !peer.out.is_established()) return false;
  write(to);
  const bool complete = !done_.empty();  // nothing else was queued
  done_.clear();
  return complete;
}

void Tcp::accept(Rank from, std::uint64_t offer, const Region& into, Ticket ticket) {
  const auto id = static_cast<std::uint32_t>(offer);
  Header header;
  header.kind = Header::Kind::want;
  header.id = announced_[id].id;
  header.envelope = announced_[id].envelope;
  header.wanted_as = put(wanted_, free_wanted_, {into, ticket});
  free_announced_.push_back(id);
  push(from, {header, {}, {}});
}

/// Queues what has no ticket of its own to report now, and writes if nothing was queued before.
void Tcp::push(Rank to, const OutStream::Item& item) {
  Peer& peer = peers_[static_cast<std::size_t>(to)];
  const bool first = peer.out.idle();
  peer.out.push(item);
  if (!peer.out.begun()) begin(to);
  if (!first || !peer.out.is_established()) return;
  write(to);
  for (const Ticket ticket : std::exchange(done_, {}))
    if (!leaving_) inbox_.sent(ticket);
}

void Tcp::begin(Rank to) {
  Peer& peer = peers_[static_cast<std::size_t>(to)];
  if (peer.out.connect(peer.addresses, peer.port, {job_, self_}, seconds_) == OutStream::Status::broken) {
    std::string tried;
    for (const Address& address : peer.addresses) tried += (tried.empty() ? "" : ", ") + text_of(address);
    return fail(to,
                "it cannot be connected to at " + (tried.empty() ? "any address" : tried) + ": " + peer.out.trouble());
  }
  peer.wants_write = true;
  watch(EPOLL_CTL_ADD, peer.out.descriptor(), EPOLLOUT | EPOLLIN, Source::out, static_cast<std::size_t>(to));
}

/// Leaves the tickets of what is written in done_.
void Tcp::write(Rank to) {
  Peer& peer = peers_[static_cast<std::size_t>(to)];
  const OutStream::Status status = peer.out.write(done_);
  if (status == OutStream::Status::broken) return fail(to, std::string("its connection broke: ") + peer.out.trouble());
  const bool wants_write = status == OutStream::Status::waits;
  if (wants_write == peer.wants_write) return;
  peer.wants_write = wants_write;
  watch(EPOLL_CTL_MOD, peer.out.descriptor(), EPOLLIN | (wants_write ? EPOLLOUT : 0u), Source::out,
        static_cast<std::size_t>(to));
}

void Tcp::out_ready(Rank to, std::uint32_t events) {
  Peer& peer = peers_[static_cast<std::size_t>(to)];
  if (!peer.out.is_established()) {
    if (!peer.out.established()) return begin(to);  // at its next address
  }
  if (events & EPOLLIN && peer.out.peer_leaves()) peer.left = true;
  if (events & (EPOLLERR | EPOLLHUP) && !peer.out.established())
    fail(to, std::string("its connection broke: ") + peer.out.trouble());
  if (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) {  // it says nothing more here
    fail(to, "it has closed its connection");
    epoll_ctl(*epoll_, EPOLL_CTL_DEL, peer.out.descriptor(), nullptr);
    return;
  }
  write(to);
  for (const Ticket ticket : std::exchange(done_, {}))
    if (!leaving_) inbox_.sent(ticket);
}

// --- in --------------------------------------------------------------------------------------------------------------

void Tcp::accept_connections() {
  for (;;) {
    Descriptor made(accept4(*listening_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!made.is_open()) return;
    ins_.push_back(std::make_unique<InStream>(std::move(made), seconds_));
    watch(EPOLL_CTL_ADD, ins_.back()->descriptor(), EPOLLIN, Source::in, ins_.size() - 1);
  }
}

void Tcp::in_ready(std::size_t index, bool& moved) {
  InStream& in = *ins_[index];
  const InStream::Status status = in.read(job_, static_cast<int>(peers_.size()), *this, moved);
  if (status == InStream::Status::open) return;
  if (status != InStream::Status::stranger && in.from() >= 0)
    fail(in.from(), status == InStream::Status::ended ? std::string("it has closed its connection")
                                                      : std::string("its connection broke: ") + in.trouble());
  epoll_ctl(*epoll_, EPOLL_CTL_DEL, in.descriptor(), nullptr);
  if (status == InStream::Status::stranger) ins_[index]->close();
}

std::optional<Landing> Tcp::came(Rank from, const Header& header, const std::byte* payload) {
  switch (header.kind) {
    case Header::Kind::message:
      if (!payload) return inbox_.land(from, header.envelope);
      if (!leaving_) inbox_.deliver(from, header.envelope, payload);
      break;
    case Header::Kind::announce:
      if (!leaving_)
        inbox_.offered(from, header.envelope, put(announced_, free_announced_, {from, header.id, header.envelope}));
      break;
    case Header::Kind::want: {
      const Message message = given_[header.id];
      free_given_.push_back(header.id);
      Header answer;
      answer.kind = Header::Kind::bytes;
      answer.id = header.wanted_as;
      answer.envelope = header.envelope;
      push(from, {answer, Cursor(message.region), message.ticket});
      break;
    }
    case Header::Kind::bytes: {
      const Message message = wanted_[header.id];
      free_wanted_.push_back(header.id);
      return Landing{message.region, message.ticket};
    }
    case Header::Kind::leave:
      peers_[static_cast<std::size_t>(from)].left = true;
      break;
  }
  return std::nullopt;
}

void Tcp::landed(Ticket ticket) {
  if (!leaving_) inbox_.landed(ticket);
}

bool Tcp::poll(int milliseconds) {
  bool moved = false;
  epoll_event events[32];
  const int count = epoll_wait(*epoll_, events, 32, milliseconds);
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(events[i].data.u64 & 0xffffffff);
    switch (static_cast<Source>(events[i].data.u64 >> 32)) {
      case Source::listening:
        accept_connections();
        break;
      case Source::out:
        out_ready(static_cast<Rank>(index), events[i].events);
        moved = true;
        break;
      case Source::in:
        if (!leaving_) in_ready(index, moved);
        break;
    }
  }
  return moved;
}

Tcp::~Tcp() {
  leaving_ = true;
  for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
    Header header;
    header.kind = Header::Kind::leave;
    if (peers_[rank].out.begun() && !peers_[rank].failed && !peers_[rank].left)
      push(static_cast<Rank>(rank), {header, {}, {}});
  }
  const auto end = std::chrono::steady_clock::now() + kLeaveLimit;
  const auto busy = [this] {
    for (const Peer& peer : peers_)
      if (!peer.failed && !peer.left && !peer.out.idle()) return true;
    return false;
  };
  while (busy() && std::chrono::steady_clock::now() < end) poll(10);
  for (const auto& in : ins_) in->leave();
}

}  // namespace tcp

std::unique_ptr<MessageTransport> make_tcp_transport(const TransportSetting& setting) {
  std::unique_ptr<tcp::Tcp> made;
  std::string card, trouble;
  try {
    int seconds = 10;
    if (const char* text = std::getenv("TUTTI_TCP_SECONDS")) {
      const std::string_view view(text);
      const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), seconds);
      if (error != std::errc() || end != view.data() + view.size() || seconds < 1 || seconds > 86400)
        throw InputError("TUTTI_TCP_SECONDS: expected a number from 1 to 86400, not '" + std::string(view) + "'");
    }
    made = std::make_unique<tcp::Tcp>(setting.layout.rank, setting.inbox, seconds);
    card = made->card();
  } catch (const std::exception& error) {
    trouble = error.what();
  }
  agree(setting.bootstrap, trouble);
  made->meet(setting.bootstrap.allgather(card));
  return made;
}

}  // namespace tutti
