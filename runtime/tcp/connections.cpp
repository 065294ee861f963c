// Connections: how they begin, what the system says of them, and how it shows that a peer is gone.
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/tcp/tcp.hpp"

namespace tutti::tcp {
namespace {

// A rank that nothing was heard of for so long is asked by connecting to it.
constexpr std::chrono::seconds kBeforeAsking(1);
constexpr std::chrono::milliseconds kBetweenLooks(50);

}  // namespace

bool Tcp::watch(int operation, int descriptor, std::uint32_t events, Source source, std::size_t index) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = static_cast<std::uint64_t>(source) << 32 | index;
  return epoll_ctl(*epoll_, operation, descriptor, &event) == 0;
}

void Tcp::unwatch(int descriptor) {
  if (epoll_ctl(*epoll_, EPOLL_CTL_DEL, descriptor, nullptr) != 0) fail_here("a connection cannot be left");
}

// --- how it ends with a peer -----------------------------------------------------------------------------------------

void Tcp::fail(Rank rank, std::string reason) {
  Peer& peer = peers_[rank];
  if (peer.failed || peer.left) return;
  peer.failed = true;
  if (leaving_) return;
  inbox_.failed(rank, std::move(reason));
}

/// The system refuses something that no peer is the reason of.
void Tcp::fail_here(const char* what) { fail(self_, std::string("tcp: ") + what + ": " + std::strerror(errno)); }

/// Where something is queued for the peer, it is lost; else its own stream may still bring what it has sent before it
/// left, and check_liveness() decides when what has come is read.
void Tcp::cannot_send(Rank to, std::string reason) {
  Peer& peer = peers_[to];
  if (leaving_ || !peer.out.idle()) return fail(to, std::move(reason));
  if (peer.cannot_be_sent.empty()) peer.cannot_be_sent = std::move(reason);
}

void Tcp::leaves(Rank from, Rank lost) {
  const bool has_lost = lost != from && lost >= 0 && lost < static_cast<Rank>(peers_.size());
  if (has_lost && !leaving_)
    lost == self_ ? inbox_.lost(from, "it says that this rank is lost")
                  : inbox_.lost(lost, "so rank " + std::to_string(from) + " says");
  peers_[from].left = true;
}

void Tcp::check_liveness() {
  const auto now = Clock::now();
  if (std::exchange(moved_, false)) waits_from_ = now;
  const bool look = now - looked_ > kBetweenLooks;
  if (look) looked_ = now, drop_silent_strangers();
  for (std::size_t index = 0; index < peers_.size(); ++index) {
    Peer& peer = peers_[index];
    const auto rank = static_cast<Rank>(index);
    if (!peer.cannot_be_sent.empty() && !peer.heard) fail(rank, peer.cannot_be_sent);
    if (peer.left && !std::exchange(peer.left_reported, true)) inbox_.left(rank);
    if (look && peer.out.begun() && !peer.failed && !peer.left && peer.cannot_be_sent.empty() &&
        peer.out.unanswered(settings_.seconds))
      silent(rank);
  }
}

void Tcp::silent(Rank rank) {
  Peer& peer = peers_[rank];
  if (peer.out.is_established())
    return fail(rank, "it has not answered for " + std::to_string(settings_.seconds) + " s");
  unwatch(peer.out.descriptor());
  connect_to_next_address(rank);  // at its next address
}

void Tcp::expect_message(Rank rank) {
  const Peer& peer = peers_[rank];
  if (peer.heard || peer.left || peer.failed || peer.out.begun()) return;
  if (Clock::now() - waits_from_ > kBeforeAsking) connect(rank);
}

// --- out -------------------------------------------------------------------------------------------------------------

/// Sees to it that what is queued will go out.
void Tcp::connect(Rank to) {
  Peer& peer = peers_[to];
  if (!peer.cannot_be_sent.empty()) return fail(to, peer.cannot_be_sent);
  if (peer.out.begun()) return;
  peer.connecting_since = Clock::now();
  connect_to_next_address(to);
}

/// At the peer's first address, or at the next where one did not answer.
void Tcp::connect_to_next_address(Rank to) {
  Peer& peer = peers_[to];
  if (peer.out.connect(peer.addresses, peer.port, Hello::make(*key_, self_, to), settings_.seconds) ==
      OutStream::Status::broken) {
    std::string tried;
    for (const Address& address : peer.addresses) tried += (tried.empty() ? "" : ", ") + text_of(address);
    return cannot_send(
        to, "it cannot be connected to at " + (tried.empty() ? "any address" : tried) + ": " + peer.out.trouble());
  }
  peer.wants_write = true;
  if (!watch(EPOLL_CTL_ADD, peer.out.descriptor(), EPOLLOUT | EPOLLIN, Source::out, static_cast<std::size_t>(to)))
    fail_here("a connection cannot be watched");
}

void Tcp::out_ready(Rank to, std::uint32_t events) {
  Peer& peer = peers_[to];
  if (!peer.out.is_established() && !peer.out.established()) {
    unwatch(peer.out.descriptor());
    return connect_to_next_address(to);  // at its next address
  }
  if (events & EPOLLIN)
    if (const auto parting = peer.out.parting();
        parting && parting->is_proven(*key_, to)) {  // it says nothing more here
      unwatch(peer.out.descriptor());
      if (parting->lost != to || parting->own_stream == Parting::OwnStream::none) leaves(to, parting->lost);
      if (parting->own_stream == Parting::OwnStream::unknown) cannot_send(to, "it has left");
      return;
    }
  if (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) {
    const bool broke = !peer.out.established();
    unwatch(peer.out.descriptor());
    if (try_again(to)) return;
    return cannot_send(
        to, broke ? std::string("its connection broke: ") + peer.out.trouble() : "it has closed its connection");
  }
  write(to);
  for (const Ticket ticket : std::exchange(done_, {}))
    if (!leaving_) inbox_.sent(ticket);
}

/// A peer to which too many strangers come may close the connection of one that has not said yet who it is.
bool Tcp::try_again(Rank to) {
  Peer& peer = peers_[to];
  if (leaving_ || peer.out.has_spoken() ||
      Clock::now() - peer.connecting_since > std::chrono::seconds(settings_.seconds))
    return false;
  peer.out.restart();
  connect_to_next_address(to);
  return true;
}

// --- in --------------------------------------------------------------------------------------------------------------

void Tcp::in_ready(Rank from, bool& moved) {
  InStream& in = *ins_[from];
  if (leaving_) {  // so that who is in the middle of writing can come to its end
    if (!discard(in.descriptor())) unwatch(in.descriptor());
    return;
  }
  switch (in.read(*this, moved)) {
    case InStream::Status::open:
      return;
    case InStream::Status::ended:
      fail(from, "it has closed its connection");
      break;
    case InStream::Status::broken:
      fail(from, std::string("its connection broke: ") + in.trouble());
      break;
    case InStream::Status::senseless:
      fail(from, "what it says makes no sense");
      break;
  }
  unwatch(in.descriptor());
}

bool Tcp::poll(int milliseconds) {
  bool moved = false;
  epoll_event events[32];
  const int count = epoll_wait(*epoll_, events, 32, milliseconds);
  if (count < 0 && errno != EINTR) fail_here("connections cannot be waited for");
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(events[i].data.u64 & 0xffffffff);
    switch (static_cast<Source>(events[i].data.u64 >> 32)) {
      case Source::listening:
        accept_connections();
        break;
      case Source::stranger:
        stranger_ready(index);
        break;
      case Source::out:
        out_ready(static_cast<Rank>(index), events[i].events);
        moved = true;
        break;
      case Source::in:
        in_ready(static_cast<Rank>(index), moved);
        break;
    }
  }
  moved_ |= moved;
  return moved;
}

}  // namespace tutti::tcp
