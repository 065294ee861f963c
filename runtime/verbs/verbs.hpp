#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/slots.hpp"
#include "runtime/error.hpp"
#include "runtime/transport.hpp"
#include "runtime/verbs/connection.hpp"
#include "runtime/verbs/datagrams.hpp"
#include "runtime/verbs/exposed.hpp"
#include "runtime/verbs/leases.hpp"
#include "runtime/verbs/multicasting.hpp"
#include "runtime/verbs/work_queues.hpp"

namespace tutti::verbs {

/// See make_verbs_transport. Whatever finds no room, no packet or no connection waits in its peer's queue, in order.
class Verbs final : public MessageTransport, private RemoteMemory {
 public:
  Verbs(std::vector<Adapter> rails, Rank self, Inbox& inbox);
  ~Verbs() override;
  /// What the others need to reach this rank, and what they gave, by rank.
  std::string endpoint() const;
  void meet(const std::vector<std::string>& endpoints);
  /// Collective, after meet().
  void join_multicast(Bootstrap& bootstrap);

  std::string_view name() const override { return "verbs"; }
  bool reaches(Rank peer) const override { return peers_[peer].endpoint.rails > 0; }
  bool send(Rank to, const Envelope& envelope, const Region& what, Ticket ticket) override;
  void accept(Rank from, std::uint64_t offer, const Region& into, Ticket ticket) override;
  RemoteMemory* remote_memory() override { return this; }
  std::string why_no_multicast() const override { return multicast_.why_not(); }
  void multicast(const Envelope& envelope, const std::byte* bytes, Ticket ticket) override {
    multicast_.post(envelope, bytes, ticket);
  }
  std::string pending() const override { return multicast_.pending(); }
  bool progress() override;
  bool rest(std::chrono::milliseconds most) override;
  void quiet() override { leases_.forget(); }
  void check_liveness() override;
  void lost(Rank rank) override { lost_ = rank; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint32_t kMostPostedPerPeer = 64;  // work requests under way
  static constexpr std::size_t kPieceBytes = 1 << 20;      // of one RDMA read
  static constexpr std::size_t kMostInline = Connection::kMostInline;

  /// A packet that waits to be posted.
  struct Outgoing {
    Header::Kind kind = Header::Kind::message;
    Envelope envelope;
    Region what;  // message: its bytes
    Ticket ticket = 0;
    std::uint64_t offer = 0;  // offer: ours; fetched: the peer's; leave: as in the header
  };
  struct Peer {
    enum class State : std::uint8_t { unconnected, connecting, accepted, connected, failed };
    State state = State::unconnected;
    bool left = false, left_reported = false, blocked = false;
    Endpoint endpoint;
    std::unique_ptr<Connection> connection;
    Clock::time_point connect_message_sent, heard, unreachable_since;
    std::uint32_t posted = 0;
    std::deque<Outgoing> waiting;
    std::deque<std::uint32_t> fetching;  // fetches with pieces that are not posted
  };
  /// Bytes that a peer may fetch, until it says that it has.
  struct Offered {
    Ticket ticket = 0;
    Lease memory;
    Rank to = -1;  // -1: nothing is offered
  };
  /// What a peer offers, and the fetching of it.
  struct Fetch {
    Rank from = 0;
    std::uint64_t offer = 0;  // the peer's number
    Offer where;
    std::uint64_t bytes = 0, asked = 0, come = 0;
    Region into;
    Ticket ticket = 0;
    Lease memory;
    std::uint32_t* pending = nullptr;  // of a one-sided access, which no offer made
    bool writes = false;               // a put
  };

  static std::uint64_t queue_pair_key(std::size_t rail, std::uint32_t number) {
    return static_cast<std::uint64_t>(rail) << 32 | number;
  }

  // remote.cpp: one-sided accesses
  RemoteKey expose(void* first, std::size_t bytes) override { return exposed_.expose(first, bytes); }
  void conceal(const RemoteKey& own) override { exposed_.conceal(own); }
  std::string why_not(Rank, const RemoteKey&) override { return ""; }
  void get(Rank from, const RemoteKey& theirs, std::uint64_t offset, void* into, std::size_t bytes,
           std::uint32_t& pending) override;
  void put(Rank to, const RemoteKey& theirs, std::uint64_t offset, const void* what, std::size_t bytes,
           std::uint32_t& pending) override;
  void access(Rank rank, const RemoteKey& theirs, std::uint64_t offset, void* here, std::size_t bytes,
              std::uint32_t& pending, bool writes);

  // transport.cpp: connections
  std::span<const Adapter> rails_to(const Peer& peer) const;
  bool prepare(Rank rank);
  void connect(Rank rank);
  void send_connect_message(Rank rank, ConnectMessage::Kind kind);
  void on_connect_message(const ConnectMessage& message);
  void connected(Rank rank);
  bool may_be_tried_again(Peer& peer, int error);
  void repeat_connect_messages();
  void fail(Rank rank, std::string reason);
  void fail_here(const std::string& reason);
  void leaves(const Header& header);

  // messages.cpp: packets
  bool post(Rank to, std::size_t rail, ibv_send_wr& work, const Work& what);
  bool has_room(const Peer& peer, std::size_t rail) const;
  bool post_packet(Rank to, const Outgoing& outgoing);
  void enqueue(Rank to, const Outgoing& outgoing);
  bool make_offer(Rank to, Outgoing& outgoing);
  void block(Rank rank);
  void advance(Rank rank);
  void arrived(Rank from, std::size_t packet, std::size_t bytes);
  bool understood(Rank from, const Header& header, std::size_t bytes) const;
  void completed(std::size_t rail, const ibv_wc& done);
  void progress_multicast();

  // fetching.cpp
  void fetch(Rank rank);
  void finish(std::uint32_t fetch);

  const std::vector<Adapter> rails_;
  std::uint64_t job_ = 0;
  const Rank self_;
  Inbox& inbox_;
  CompletionChannel wakes_;
  Leases leases_;
  Datagrams datagrams_;
  WorkQueues queues_;
  std::vector<Peer> peers_;                                     // after the queues that their connections use
  std::unordered_map<std::uint64_t, Rank> rank_of_queue_pair_;  // by rail and number
  std::vector<Rank> connecting_;                                // not connected yet
  std::vector<Rank> blocked_;                                   // something of theirs found no room or no packet
  Slots<Offered> offered_;
  Slots<Fetch> fetches_;
  Exposed exposed_;
  Multicasting multicast_;
  std::optional<Rank> lost_;  // why this rank leaves
  bool moved_ = false;        // in this progress()
  bool failed_here_ = false;
  bool leaving_ = false;  // the inbox is gone
};

}  // namespace tutti::verbs
