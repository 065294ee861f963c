// What is sent and what comes.
#include <sys/epoll.h>

#include <utility>

#include "runtime/tcp/tcp.hpp"

namespace tutti::tcp {
namespace {

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

}  // namespace

bool Tcp::send(Rank to, const Envelope& envelope, const Region& what, Ticket ticket) {
  Peer& peer = peers_[to];
  if (peer.failed || peer.left) return false;
  Header header;
  header.envelope = envelope;
  if (envelope.bytes > settings_.eager_limit_bytes) {
    header.kind = Header::Kind::offer;
    header.id = put(offered_, free_offered_, {what, ticket, to});
    push(to, {header, {}, {}});
    return false;
  }
  const bool first = peer.out.idle();
  peer.out.push({header, Cursor(what), ticket});
  connect(to);
  if (!first || !peer.out.is_established()) return false;
  write(to);
  const bool complete = !done_.empty();  // nothing else was queued
  done_.clear();
  return complete;
}

void Tcp::accept(Rank from, std::uint64_t offer, const Region& into, Ticket ticket) {
  const auto id = static_cast<std::uint32_t>(offer);
  Header header;
  header.kind = Header::Kind::accept;
  header.id = offers_[id].id;
  header.envelope = offers_[id].envelope;
  header.accepted_as = put(accepted_, free_accepted_, {into, ticket, from});
  free_offers_.push_back(id);
  push(from, {header, {}, {}});
}

/// Queues what has no ticket of its own to report now, and writes if nothing was queued before.
void Tcp::push(Rank to, const OutStream::Item& item) {
  Peer& peer = peers_[to];
  const bool first = peer.out.idle();
  peer.out.push(item);
  connect(to);
  if (!first || !peer.out.is_established()) return;
  write(to);
  for (const Ticket ticket : std::exchange(done_, {}))
    if (!leaving_) inbox_.sent(ticket);
}

/// Leaves the tickets of what is written in done_.
void Tcp::write(Rank to) {
  Peer& peer = peers_[to];
  const OutStream::Status status = peer.out.write(done_);
  if (status == OutStream::Status::broken)
    return cannot_send(to, std::string("its connection broke: ") + peer.out.trouble());
  const bool wants_write = status == OutStream::Status::waits;
  if (wants_write == peer.wants_write) return;
  peer.wants_write = wants_write;
  if (!watch(EPOLL_CTL_MOD, peer.out.descriptor(), EPOLLIN | (wants_write ? EPOLLOUT : 0u), Source::out,
             static_cast<std::size_t>(to)))
    fail_here("a connection cannot be watched");
}

bool Tcp::came(Rank from, const Header& header, const std::byte* payload,
               std::optional<ReceiveBuffer>& receive_buffer) {
  switch (header.kind) {
    case Header::Kind::message:
      if (header.envelope.bytes > peers_[from].eager_limit_bytes) return false;
      if (payload)
        inbox_.deliver(from, header.envelope, payload);
      else
        receive_buffer = inbox_.receive_buffer(from, header.envelope);
      return true;
    case Header::Kind::offer:
      inbox_.offered(from, header.envelope, put(offers_, free_offers_, {from, header.id, header.envelope}));
      return true;
    case Header::Kind::accept: {
      const auto message = take(offered_, free_offered_, header.id, from);
      if (!message) return false;
      Header answer;
      answer.kind = Header::Kind::data;
      answer.id = header.accepted_as;
      answer.envelope = header.envelope;
      answer.envelope.bytes = message->region.bytes();
      push(from, {answer, Cursor(message->region), message->ticket});
      return true;
    }
    case Header::Kind::data: {
      const bool fits = header.id < accepted_.size() && accepted_[header.id].region.bytes() == header.envelope.bytes;
      const auto message = fits ? take(accepted_, free_accepted_, header.id, from) : std::nullopt;
      if (message) receive_buffer = ReceiveBuffer{message->region, message->ticket};
      return message.has_value();
    }
    case Header::Kind::leave:
      if (header.id >= peers_.size()) return false;
      leaves(from, static_cast<Rank>(header.id));
      return true;
  }
  return false;
}

/// What the peer may mean by a number that it says; nullopt where there is nothing of the kind.
std::optional<Tcp::Message> Tcp::take(std::vector<Message>& pool, std::vector<std::uint32_t>& free, std::uint32_t id,
                                      Rank peer) {
  if (id >= pool.size() || pool[id].peer != peer) return std::nullopt;
  free.push_back(id);
  return std::exchange(pool[id], {});
}

void Tcp::received(Ticket ticket) { inbox_.received(ticket); }

}  // namespace tutti::tcp
