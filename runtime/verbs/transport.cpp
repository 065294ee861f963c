#include "runtime/verbs/transport.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>

#include "runtime/bootstrap.hpp"
#include "runtime/verbs/verbs.hpp"

namespace tutti {
namespace verbs {
namespace {

constexpr std::chrono::milliseconds kRepeatConnectAfter(200), kProbeLivenessAfter(1000);
// On Ethernet the host asks the network for a peer's hardware address, and gives up after some lost questions.
constexpr std::chrono::seconds kUnreachableLimit(30);
// How long a leaving rank waits for its last packets to be acknowledged; where one is lost, they say no more than that.
constexpr std::chrono::seconds kLeaveLimit(10), kLeaveLimitWhereOneIsLost(2);

Endpoint endpoint_of(std::span<const Adapter> rails, std::uint32_t datagram_queue_pair) {
  Endpoint endpoint;
  std::random_device random;
  endpoint.job = static_cast<std::uint64_t>(random()) << 32 | random();
  endpoint.rails = static_cast<std::uint32_t>(rails.size());
  endpoint.datagram_queue_pair = datagram_queue_pair;
  for (std::size_t rail = 0; rail < rails.size(); ++rail) endpoint.ports[rail] = rails[rail].address();
  return endpoint;
}

}  // namespace

Verbs::Verbs(std::vector<Adapter> rails, Rank self, Inbox& inbox)
    : rails_(std::move(rails)),
      self_(self),
      inbox_(inbox),
      wakes_(rails_.size() == 1 ? ibv_create_comp_channel(rails_[0].context()) : nullptr),
      leases_(rails_),
      datagrams_(rails_[0], wakes_.get()),
      queues_(rails_, wakes_.get()),
      exposed_(rails_) {}

void Verbs::meet(const std::vector<std::string>& endpoints) {
  peers_.resize(endpoints.size());
  for (std::size_t rank = 0; rank < endpoints.size(); ++rank) {
    Endpoint& endpoint = peers_[rank].endpoint;
    std::memcpy(&endpoint, endpoints[rank].data(), sizeof endpoint);
    if (rank == 0) job_ = endpoint.job;
    if (static_cast<Rank>(rank) == self_) endpoint = {};  // not by this transport
  }
}

void Verbs::join_multicast(Bootstrap& bootstrap) {
  std::uint8_t mtu = rails_[0].address().mtu;
  for (const Peer& peer : peers_)
    if (peer.endpoint.rails > 0) mtu = std::min(mtu, peer.endpoint.ports[0].mtu);
  multicast_.join(bootstrap, {rails_[0], job_, self_, static_cast<int>(peers_.size()), mtu, wakes_.get(), inbox_});
}

std::string Verbs::endpoint() const {
  const Endpoint endpoint = endpoint_of(rails_, datagrams_.queue_pair());
  return std::string(reinterpret_cast<const char*>(&endpoint), sizeof endpoint);
}

// --- connections -----------------------------------------------------------------------------------------------------

std::span<const Adapter> Verbs::rails_to(const Peer& peer) const {
  return std::span(rails_).first(std::min<std::size_t>(rails_.size(), peer.endpoint.rails));
}

bool Verbs::prepare(Rank rank) {
  Peer& peer = peers_[rank];
  if (peer.connection) return true;
  std::vector<Connection::Queues> queues;
  for (std::size_t rail = 0; rail < rails_to(peer).size(); ++rail)
    queues.push_back({queues_.completions(rail), rail == 0 ? queues_.receives() : nullptr});
  try {
    peer.connection = std::make_unique<Connection>(rails_to(peer), queues, kMostPostedPerPeer);
  } catch (const TeamError& error) {
    fail(rank, error.what());
    return false;
  }
  for (std::size_t rail = 0; rail < peer.connection->rails(); ++rail)
    rank_of_queue_pair_[queue_pair_key(rail, peer.connection->rail(rail)->qp_num)] = rank;
  return true;
}

/// Begins a connection where there is none.
void Verbs::connect(Rank rank) {
  Peer& peer = peers_[rank];
  if (peer.state != Peer::State::unconnected || !prepare(rank)) return;
  peer.state = Peer::State::connecting;
  connecting_.push_back(rank);
  send_connect_message(rank, ConnectMessage::Kind::connect);
}

void Verbs::send_connect_message(Rank rank, ConnectMessage::Kind kind) {
  Peer& peer = peers_[rank];
  const int error = datagrams_.send(rank, peer.endpoint, {job_, kind, self_, peer.connection->numbers()});
  peer.connect_message_sent = Clock::now();  // sending may have taken seconds
  if (peer.state != Peer::State::connected && !may_be_tried_again(peer, error))
    fail(rank, std::string("there is no way to it: ") + std::strerror(error));
}

/// What is lost is sent again, and so is what could not be sent because nobody has said yet where the peer is.
bool Verbs::may_be_tried_again(Peer& peer, int error) {
  if (error == 0) {
    peer.unreachable_since = {};
    return true;
  }
  if (error != ETIMEDOUT && error != EHOSTUNREACH && error != EAGAIN) return false;
  const auto now = Clock::now();
  if (peer.unreachable_since == Clock::time_point{}) peer.unreachable_since = now;
  return now - peer.unreachable_since < kUnreachableLimit;
}

void Verbs::on_connect_message(const ConnectMessage& message) {
  const auto index = static_cast<std::size_t>(message.from);
  if (message.job != job_ || index >= peers_.size() || peers_[index].endpoint.rails == 0) return;
  Peer& peer = peers_[index];
  if (peer.state == Peer::State::failed || !prepare(message.from)) return;
  const bool unreachable = peer.unreachable_since != Clock::time_point{};
  if (unreachable && Clock::now() - peer.connect_message_sent < kRepeatConnectAfter)
    return;  // each try may take seconds
  using Kind = ConnectMessage::Kind;
  if (peer.state == Peer::State::unconnected || peer.state == Peer::State::connecting) {
    if (message.kind == Kind::confirm) return;  // of a connection that is not ours
    if (peer.state == Peer::State::unconnected) connecting_.push_back(message.from);
    const int error = peer.connection->connect(rails_to(peer), peer.endpoint, message.queue_pairs) ? 0 : errno;
    if (!may_be_tried_again(peer, error))
      return fail(message.from, std::string("its queue pair cannot be connected: ") + std::strerror(error));
    peer.connect_message_sent = Clock::now();
    peer.state = error == 0 ? Peer::State::accepted : Peer::State::connecting;
    if (error != 0) return;
  }
  if (message.kind == Kind::connect) return send_connect_message(message.from, Kind::accept);
  if (message.kind == Kind::accept) send_connect_message(message.from, Kind::confirm);
  connected(message.from);
}

/// The peer's queue pairs are known to be connected.
void Verbs::connected(Rank rank) {
  Peer& peer = peers_[rank];
  if (peer.state != Peer::State::accepted) return;
  peer.state = Peer::State::connected;
  moved_ = true;
  peer.heard = Clock::now();
  std::erase(connecting_, rank);
  advance(rank);
}

void Verbs::repeat_connect_messages() {
  const auto now = Clock::now();
  for (const Rank rank : std::vector(connecting_)) {
    Peer& peer = peers_[rank];
    if (now - peer.connect_message_sent < kRepeatConnectAfter) continue;
    send_connect_message(
        rank, peer.state == Peer::State::accepted ? ConnectMessage::Kind::accept : ConnectMessage::Kind::connect);
  }
}

void Verbs::fail(Rank rank, std::string reason) {
  Peer& peer = peers_[rank];
  if (peer.state == Peer::State::failed) return;
  peer.state = Peer::State::failed;
  moved_ = true;
  std::erase(connecting_, rank);
  if (peer.left || leaving_) return;
  inbox_.failed(rank, std::move(reason));
}

void Verbs::leaves(const Header& header) {
  Peer& peer = peers_[header.from];
  const auto lost = static_cast<Rank>(header.offer) - 1;
  if (header.offer > 0 && header.offer <= peers_.size() && lost != header.from && !leaving_)
    lost == self_ ? inbox_.lost(header.from, "it says that this rank is lost")
                  : inbox_.lost(lost, "so rank " + std::to_string(header.from) + " says");
  peer.left = true;
}

/// The device refuses something that no peer is the reason of.
void Verbs::fail_here(const std::string& reason) {
  if (!leaving_ && !std::exchange(failed_here_, true))
    inbox_.failed(self_, "verbs device " + rails_[0].name() + ": " + reason);
}

void Verbs::check_liveness() {
  const auto now = Clock::now();
  for (std::size_t index = 0; index < peers_.size(); ++index) {
    Peer& peer = peers_[index];
    if (peer.left && !std::exchange(peer.left_reported, true)) inbox_.left(static_cast<Rank>(index));
    if (peer.left && multicast_.waits_for(static_cast<Rank>(index)))
      inbox_.lost(static_cast<Rank>(index), "it has left without having had all of a multicast");
    if (peer.state != Peer::State::connected || peer.left || now - peer.heard < kProbeLivenessAfter || peer.posted > 0)
      continue;
    peer.heard = now;
    // Nothing is written, but it is acknowledged.
    ibv_send_wr work{};
    work.opcode = IBV_WR_RDMA_WRITE;
    post(static_cast<Rank>(index), 0, work, {Work::Kind::liveness_probe});
  }
}

/// With several rails, each has its channel and context, which is not worth it: those are polled.
bool Verbs::rest(std::chrono::milliseconds most) {
  if (!wakes_) return false;
  for (ibv_cq* queue : {datagrams_.completions(), queues_.completions(0), multicast_.completions()})
    if (queue && ibv_req_notify_cq(queue, 0) != 0) return false;
  if (progress()) return true;  // what came before the request wakes nobody
  pollfd channel{wakes_->fd, POLLIN, 0};
  if (poll(&channel, 1, static_cast<int>(most.count())) > 0) {
    ibv_cq* woken = nullptr;
    void* context = nullptr;
    if (ibv_get_cq_event(wakes_.get(), &woken, &context) == 0) ibv_ack_cq_events(woken, 1);
  }
  return true;
}

// --- the end ---------------------------------------------------------------------------------------------------------

Verbs::~Verbs() {
  const auto end = Clock::now() + (lost_ ? kLeaveLimitWhereOneIsLost : kLeaveLimit);
  const std::uint64_t why = lost_ ? static_cast<std::uint64_t>(*lost_) + 1 : 0;
  const auto is_served = [this](const Peer& peer) {
    if (lost_ && &peer == &peers_[static_cast<std::size_t>(*lost_)]) return false;
    if (peer.state == Peer::State::connected) return !peer.left;
    // A multicast's sender that is not connected yet waits for the report that its last packet has come.
    return (peer.state == Peer::State::connecting || peer.state == Peer::State::accepted) &&
           std::any_of(peer.waiting.begin(), peer.waiting.end(),
                       [](const Outgoing& waits) { return waits.kind == Header::Kind::heard; });
  };
  for (std::size_t index = 0; index < peers_.size(); ++index)
    if (is_served(peers_[index])) enqueue(static_cast<Rank>(index), {Header::Kind::leave, {}, {}, 0, why});
  const auto busy = [&] {
    return std::any_of(peers_.begin(), peers_.end(),
                       [&](const Peer& peer) { return is_served(peer) && (peer.posted > 0 || !peer.waiting.empty()); });
  };
  leaving_ = true;
  while (busy() && Clock::now() < end) progress();
}

}  // namespace verbs

std::unique_ptr<MessageTransport> make_verbs_transport(const TransportSetting& setting) {
  std::unique_ptr<verbs::Verbs> made;
  Trouble trouble;
  try {
    std::vector<verbs::Adapter> rails = verbs::open_adapters();
    if (rails.size() > verbs::kMostRails) rails.erase(rails.begin() + verbs::kMostRails, rails.end());
    if (!rails.empty()) made = std::make_unique<verbs::Verbs>(std::move(rails), setting.layout.rank, setting.inbox);
  } catch (const std::exception& error) {
    trouble = Trouble(error);
  }
  agree(setting.bootstrap, trouble);
  const auto endpoints = setting.bootstrap.allgather(made ? made->endpoint() : std::string());
  for (const std::string& endpoint : endpoints)
    if (endpoint.size() != sizeof(verbs::Endpoint)) return nullptr;
  made->meet(endpoints);
  made->join_multicast(setting.bootstrap);
  return made;
}

}  // namespace tutti
