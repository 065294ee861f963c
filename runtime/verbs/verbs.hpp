#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/error.hpp"
#include "runtime/multicast/receiver.hpp"
#include "runtime/multicast/sender.hpp"
#include "runtime/transport.hpp"
#include "runtime/verbs/connection.hpp"
#include "runtime/verbs/datagrams.hpp"
#include "runtime/verbs/multicast_group.hpp"
#include "runtime/verbs/packets.hpp"
#include "runtime/verbs/registrations.hpp"

namespace tutti {
class Bootstrap;
}

namespace tutti::verbs {

/// See make_verbs_transport. Whatever finds no room, no packet or no connection waits in its peer's queue, in order.
class Verbs final : public MessageTransport, private RemoteMemory {
 public:
  Verbs(std::vector<Adapter> rails, Rank self, Inbox& inbox);
  ~Verbs() override;
  /// What the others need to reach this rank, and what they gave, by rank.
  std::string card() const;
  void meet(const std::vector<std::string>& cards);
  /// Collective, after meet().
  void join_multicast(Bootstrap& bootstrap);

  std::string_view name() const override { return "verbs"; }
  bool reaches(Rank peer) const override { return peers_[static_cast<std::size_t>(peer)].card.rails > 0; }
  bool send(Rank to, const Envelope& envelope, const Region& what, Ticket ticket) override;
  void accept(Rank from, std::uint64_t offer, const Region& into, Ticket ticket) override;
  RemoteMemory* remote_memory() override { return this; }
  std::string why_no_multicast() const override { return no_multicast_; }
  void multicast(const Envelope& envelope, const std::byte* bytes, Ticket ticket) override;
  std::string pending() const override { return sender_ ? sender_->pending() : ""; }
  bool progress() override;
  bool rest(std::chrono::milliseconds most) override;
  void quiet() override { registrations_.forget(); }
  void check_liveness() override;
  void lost(Rank rank) override { lost_ = rank; }

 private:
  using Clock = std::chrono::steady_clock;
  // Work requests under way: per rail, and per connection.
  static constexpr std::uint32_t kMostPosted = 4096, kMostPostedPerPeer = 64;
  static constexpr std::size_t kSendPackets = 256, kReceivePackets = 512;
  static constexpr std::size_t kPieceBytes = 1 << 20;  // of one RDMA read
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
    Card card;
    std::unique_ptr<Connection> connection;
    Clock::time_point connect_message_sent, heard, unreachable_since;
    std::uint32_t posted = 0;
    std::deque<Outgoing> waiting;
    std::deque<std::uint32_t> fetching;  // fetches with pieces that are not posted
  };
  /// Bytes that a peer may fetch, until it says that it has.
  struct Offered {
    Ticket ticket = 0;
    Registrations::Entry* entry = nullptr;    // of a region in one piece
    std::unique_ptr<Staging::Buffer> packed;  // else
    Rank to = -1;                             // -1: nothing is offered
  };
  /// What a peer offers, and the fetching of it.
  struct Fetch {
    Rank from = 0;
    std::uint64_t offer = 0;  // the peer's number
    Offer where;
    std::uint64_t bytes = 0, asked = 0, come = 0;
    Region into;
    Ticket ticket = 0;
    Registrations::Entry* entry = nullptr;    // into a region in one piece
    std::unique_ptr<Staging::Buffer> packed;  // else
    std::uint32_t* pending = nullptr;         // of a one-sided access, which no offer made
    bool writes = false;                      // a put
  };
  struct Work {
    enum class Kind : std::uint8_t { packet, inlined, piece, liveness_probe } kind;
    bool is_report = false;   // of multicast packets
    std::uint32_t id = 0;     // the packet, or the fetch
    std::uint64_t bytes = 0;  // of the piece
  };

  static std::uint64_t queue_pair_key(std::size_t rail, std::uint32_t number) {
    return static_cast<std::uint64_t>(rail) << 32 | number;
  }

  /// One that is free, or a new one.
  template <class Pool>
  static std::uint32_t take(Pool& pool, std::vector<std::uint32_t>& free) {
    if (free.empty()) {
      pool.emplace_back();
      return static_cast<std::uint32_t>(pool.size() - 1);
    }
    const std::uint32_t id = free.back();
    free.pop_back();
    return id;
  }

  // remote.cpp: one-sided accesses
  RemoteKey expose(void* first, std::size_t bytes) override;
  void conceal(const RemoteKey& own) override;
  std::string why_not(Rank, const RemoteKey&) override { return ""; }
  void get(Rank from, const RemoteKey& theirs, std::uint64_t offset, void* into, std::size_t bytes,
           std::uint32_t& pending) override;
  void put(Rank to, const RemoteKey& theirs, std::uint64_t offset, const void* what, std::size_t bytes,
           std::uint32_t& pending) override;
  void access(Rank rank, const RemoteKey& theirs, std::uint64_t offset, void* here, std::size_t bytes,
              std::uint32_t& pending, bool writes);

  // multicast.cpp
  bool progress_multicast();
  void heard(const Header& header);

  // transport.cpp: connections
  [[noreturn]] void refuse(const char* what) const;
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

  // messages.cpp: packets and fetches
  int post_receive(std::size_t packet);
  bool post(Rank to, std::size_t rail, ibv_send_wr& work, const Work& what);
  bool has_room(const Peer& peer, std::size_t rail) const;
  bool post_packet(Rank to, const Outgoing& outgoing);
  void enqueue(Rank to, const Outgoing& outgoing);
  bool make_offer(Rank to, Outgoing& outgoing);
  void block(Rank rank);
  void advance(Rank rank);
  void fetch(Rank rank);
  void finish(std::uint32_t fetch);
  void arrived(Rank from, std::size_t packet, std::size_t bytes);
  bool understood(Rank from, const Header& header, std::size_t bytes) const;
  void completed(std::size_t rail, const ibv_wc& done);

  const std::vector<Adapter> rails_;
  std::uint64_t job_ = 0;
  const Rank self_;
  Inbox& inbox_;
  CompletionChannel wakes_;
  Registrations registrations_;
  Staging staging_;
  Datagrams datagrams_;
  Packets sending_, receiving_;
  std::vector<std::size_t> free_packets_;
  std::vector<CompletionQueue> completions_;                    // per rail
  SharedReceiveQueue receives_;                                 // of the first rail
  std::vector<std::uint32_t> room_;                             // per rail: for work requests
  std::vector<Peer> peers_;                                     // after the queues that their connections use
  std::unordered_map<std::uint64_t, Rank> rank_of_queue_pair_;  // by rail and number
  std::vector<Rank> connecting_;                                // not connected yet
  std::vector<Rank> blocked_;                                   // something of theirs found no room or no packet
  std::deque<Work> works_;
  std::vector<std::uint32_t> free_works_;
  std::deque<Offered> offered_;
  std::vector<std::uint32_t> free_offered_;
  std::deque<Fetch> fetches_;
  std::vector<std::uint32_t> free_fetches_;
  std::unordered_map<std::uint64_t, Known> exposed_;  // by the number in its key
  std::uint64_t next_exposed_ = 0;
  std::unique_ptr<MulticastGroup> group_;  // with it the two below
  std::optional<multicast::Sender> sender_;
  std::optional<multicast::Receiver> receiver_;
  std::string no_multicast_;  // why there is no group
  std::optional<Rank> lost_;  // why this rank leaves
  bool moved_ = false;        // in this progress()
  bool failed_here_ = false;
  bool leaving_ = false;  // the inbox is gone
};

}  // namespace tutti::verbs
