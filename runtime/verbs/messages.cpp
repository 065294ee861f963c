#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/verbs/verbs.hpp"

namespace tutti::verbs {

// --- packets ---------------------------------------------------------------------------------------------------------

bool Verbs::has_room(const Peer& peer, std::size_t rail) const {
  return queues_.has_room(rail) && peer.posted < kMostPostedPerPeer;
}

bool Verbs::post(Rank to, std::size_t rail, ibv_send_wr& work, const Work& what) {
  Peer& peer = peers_[to];
  if (const int error = queues_.post(peer.connection->rail(rail), rail, work, what)) {
    fail(to, std::string("its connection takes no more: ") + std::strerror(error));
    return false;
  }
  ++peer.posted;
  return true;
}

/// False where it finds no room or no packet; nothing has happened then.
bool Verbs::post_packet(Rank to, const Outgoing& outgoing) {
  Peer& peer = peers_[to];
  if (!has_room(peer, 0)) return false;
  Offer offer;
  if (outgoing.kind == Header::Kind::offer) {
    const Offered& offered = offered_[outgoing.offer];
    offer.address = reinterpret_cast<std::uintptr_t>(offered.memory.first(outgoing.what));
    for (std::size_t rail = 0; rail < rails_.size(); ++rail) offer.keys[rail] = offered.memory.known().remote_key(rail);
  }
  const std::size_t behind = outgoing.kind == Header::Kind::offer     ? sizeof offer
                             : outgoing.kind == Header::Kind::message ? outgoing.envelope.bytes
                                                                      : 0;
  const std::size_t bytes = sizeof(Header) + behind;
  const bool inlined = bytes <= peer.connection->inline_bytes();
  if (!inlined && !queues_.has_packet()) return false;

  alignas(Header) std::byte small[kMostInline];
  const std::size_t packet = inlined ? 0 : queues_.next_packet();
  std::byte* const memory = inlined ? small : queues_.sending()[packet];
  const Header header{outgoing.kind, self_, outgoing.envelope, outgoing.offer};
  std::memcpy(memory, &header, sizeof header);
  if (outgoing.kind == Header::Kind::offer)
    std::memcpy(memory + sizeof header, &offer, sizeof offer);
  else if (behind > 0)
    Cursor(outgoing.what).read(memory + sizeof header, behind);

  ibv_sge piece = inlined ? ibv_sge{reinterpret_cast<std::uintptr_t>(small), static_cast<std::uint32_t>(bytes), 0}
                          : queues_.sending().piece(packet, bytes);
  ibv_send_wr work{};
  work.sg_list = &piece;
  work.num_sge = 1;
  work.opcode = IBV_WR_SEND;
  if (inlined) work.send_flags = IBV_SEND_INLINE;
  const auto kind = inlined ? Work::Kind::inlined : Work::Kind::packet;
  return post(to, 0, work, {kind, outgoing.kind == Header::Kind::heard, static_cast<std::uint32_t>(packet)});
}

bool Verbs::send(Rank to, const Envelope& envelope, const Region& what, Ticket ticket) {
  const Peer& peer = peers_[to];
  const Outgoing outgoing{Header::Kind::message, envelope, what, ticket};
  if (peer.state == Peer::State::connected && peer.waiting.empty() && !peer.left &&
      envelope.bytes <= kEagerLimitBytes && post_packet(to, outgoing))
    return true;
  enqueue(to, outgoing);
  return false;
}

void Verbs::enqueue(Rank to, const Outgoing& outgoing) {
  Peer& peer = peers_[to];
  if (peer.state == Peer::State::failed || peer.left) return;  // has been reported, or will be
  peer.waiting.push_back(outgoing);
  connect(to);
  if (peer.state == Peer::State::connected && peer.waiting.size() == 1) advance(to);
}

/// Makes a long message an offer of it.
bool Verbs::make_offer(Rank to, Outgoing& outgoing) {
  Offered offered;
  offered.ticket = outgoing.ticket;
  offered.to = to;
  const std::size_t bytes = outgoing.envelope.bytes;
  offered.memory = leases_.take(outgoing.what, bytes);
  if (!offered.memory) {
    fail(to, "cannot register " + std::to_string(bytes) + " bytes to send: " + std::strerror(errno));
    return false;
  }
  if (offered.memory.packed) Cursor(outgoing.what).read(offered.memory.packed->memory.get(), bytes);
  outgoing.offer = offered_.put(std::move(offered));
  outgoing.kind = Header::Kind::offer;
  return true;
}

void Verbs::block(Rank rank) {
  Peer& peer = peers_[rank];
  if (peer.blocked) return;
  peer.blocked = true;
  blocked_.push_back(rank);
}

/// Posts what waits for this peer, as far as there is room.
void Verbs::advance(Rank rank) {
  Peer& peer = peers_[rank];
  while (peer.state == Peer::State::connected && !peer.waiting.empty()) {
    Outgoing& next = peer.waiting.front();
    if (next.kind == Header::Kind::message && next.envelope.bytes > kEagerLimitBytes && !make_offer(rank, next)) return;
    if (!post_packet(rank, next)) return block(rank);
    const Outgoing done = next;
    peer.waiting.pop_front();
    if (done.kind == Header::Kind::message && !leaving_) inbox_.sent(done.ticket);
  }
  if (peer.state == Peer::State::connected) fetch(rank);
}

// --- what comes ------------------------------------------------------------------------------------------------------

/// Numbers and sizes that a peer says are of something that there is.
bool Verbs::understood(Rank from, const Header& header, std::size_t bytes) const {
  if (bytes < sizeof header || header.from != from) return false;
  const std::size_t behind = bytes - sizeof header;
  switch (header.kind) {
    case Header::Kind::message:
      return header.envelope.bytes == behind;
    case Header::Kind::offer:
      return behind == sizeof(Offer);
    case Header::Kind::fetched:
      return header.offer < offered_.size() && offered_[header.offer].to == from;
    case Header::Kind::heard:
    case Header::Kind::leave:
      return true;
  }
  return false;
}

void Verbs::arrived(Rank from, std::size_t packet, std::size_t bytes) {
  Header header;
  const std::byte* const memory = queues_.received(packet);
  std::memcpy(&header, memory, sizeof header);
  if (!understood(from, header, bytes)) return fail(from, "what it says makes no sense");
  connected(header.from);
  moved_ |= header.kind != Header::Kind::heard;
  switch (header.kind) {
    case Header::Kind::message:
      if (!leaving_) inbox_.deliver(header.from, header.envelope, memory + sizeof header);
      return;
    case Header::Kind::offer: {
      Fetch fetching;
      fetching.from = header.from;
      fetching.offer = header.offer;
      fetching.bytes = header.envelope.bytes;
      std::memcpy(&fetching.where, memory + sizeof header, sizeof fetching.where);
      const std::uint32_t id = fetches_.put(std::move(fetching));
      if (!leaving_) inbox_.offered(header.from, header.envelope, id);
      return;
    }
    case Header::Kind::fetched: {
      Offered done = offered_.give_back(static_cast<std::uint32_t>(header.offer));
      leases_.give_back(std::move(done.memory));
      if (!leaving_) inbox_.sent(done.ticket);
      return;
    }
    case Header::Kind::heard:
      moved_ |= multicast_.heard(header.from, {header.offer, header.envelope.bytes,
                                               std::uint64_t{header.envelope.group} << 32 | header.envelope.call});
      return;
    case Header::Kind::leave:
      return leaves(header);
  }
}

void Verbs::completed(std::size_t rail, const ibv_wc& done) {
  if (WorkQueues::is_receive(done)) {
    const std::size_t packet = WorkQueues::received(done);
    const Rank from = rank_of_queue_pair_.at(queue_pair_key(rail, done.qp_num));
    if (done.status == IBV_WC_SUCCESS)
      arrived(from, packet, done.byte_len);
    else if (done.status != IBV_WC_WR_FLUSH_ERR)  // that one is only the echo of a connection that has failed
      fail(from, std::string("a packet of it was not received: ") + ibv_wc_status_str(done.status));
    if (const int error = queues_.post_receive(packet))
      fail_here(std::string("no receive can be posted: ") + std::strerror(error));
    return;
  }
  const Work work = queues_.take(rail, done);
  moved_ |= work.kind != Work::Kind::liveness_probe && !work.is_report;
  const Rank rank = rank_of_queue_pair_.at(queue_pair_key(rail, done.qp_num));
  --peers_[rank].posted;
  if (done.status != IBV_WC_SUCCESS)
    return fail(rank, std::string("it cannot be reached: ") + ibv_wc_status_str(done.status));
  if (work.kind == Work::Kind::piece && (fetches_[work.id].come += work.bytes) == fetches_[work.id].bytes)
    finish(work.id);
}

void Verbs::progress_multicast() {
  moved_ |= multicast_.progress(leaving_, [this](Rank to, const multicast::Report& report) {
    // An envelope has room for the report.
    const Envelope holds{static_cast<std::uint32_t>(report.latest >> 32), static_cast<std::uint32_t>(report.latest), 0,
                         report.beyond};
    enqueue(to, {Header::Kind::heard, holds, {}, 0, report.next});
  });
  if (const int error = multicast_.trouble())
    fail_here(std::string("its multicast group cannot go on: ") + std::strerror(error));
}

/// True if a call may have come nearer to its end. Liveness probes, connect messages and reports of nothing new say
/// that a peer's adapter is there, and that alone must not keep a wait from reaching its limit.
bool Verbs::progress() {
  moved_ = false;
  bool any = datagrams_.receive([this](const ConnectMessage& message) { on_connect_message(message); });
  if (const int error = datagrams_.trouble())
    fail_here(std::string("connect messages cannot be sent or received any more: ") + std::strerror(error));
  progress_multicast();
  for (std::size_t rail = 0; rail < queues_.rails(); ++rail) {
    ibv_wc done[16];
    const int count = ibv_poll_cq(queues_.completions(rail), 16, done);
    if (count < 0) fail_here("completions cannot be read");
    for (int i = 0; i < count; ++i) completed(rail, done[i]);
    any = any || count > 0;
  }
  if (!connecting_.empty()) repeat_connect_messages();
  if ((any || moved_) && !blocked_.empty()) {
    for (const Rank rank : std::exchange(blocked_, {})) {
      peers_[rank].blocked = false;
      advance(rank);
    }
  }
  return moved_;
}

}  // namespace tutti::verbs
