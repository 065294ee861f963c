#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/tcp/strangers.hpp"
#include "runtime/tcp/streams.hpp"

namespace tutti::tcp {

struct Settings {
  int seconds = 10;                             // without an answer: the peer is lost
  std::uint64_t eager_limit_bytes = 64 * 1024;  // the largest message that is sent without an offer first
};

/// See make_tcp_transport.
class Tcp final : public MessageTransport, private InStream::Reader {
 public:
  /// Others shall reach it at these addresses; at none but the one, if it is one. Throws TeamError where the system
  /// refuses a socket.
  Tcp(Rank self, Inbox& inbox, const Settings& settings, std::vector<Address> addresses);
  ~Tcp() override;
  /// What the others need to reach this rank, and what they gave, by rank. Throws TeamError if that makes no sense.
  std::string endpoint() const;
  void meet(const std::vector<std::string>& endpoints, const Secret& secret);

  std::string_view name() const override { return "tcp"; }
  bool reaches(Rank peer) const override { return peer != self_; }
  bool send(Rank to, const Envelope& envelope, const Region& what, Ticket ticket) override;
  void accept(Rank from, std::uint64_t offer, const Region& into, Ticket ticket) override;
  bool progress() override { return poll(0); }
  bool rest(std::chrono::milliseconds most) override {
    poll(static_cast<int>(most.count()));
    return true;
  }
  void check_liveness() override;
  void expect_message(Rank peer) override;
  void lost(Rank rank) override { lost_ = rank; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Peer {
    std::vector<Address> addresses;
    std::uint16_t port = 0;
    std::uint64_t eager_limit_bytes = 0;  // its own
    OutStream out;
    Clock::time_point connecting_since;  // when it was first tried to reach it
    bool wants_write = false;            // asked epoll to say when it can be written
    std::string cannot_be_sent;          // why nothing reaches it any more, where nothing had to
    bool heard = false;                  // its own stream has begun: that one says how it ends
    bool failed = false, left = false, left_reported = false;
  };
  struct Message {  // offered by us, until it is accepted; or accepted by us, until it comes
    Region region;
    Ticket ticket = 0;
    Rank peer = -1;  // -1: neither
  };
  struct Offer {
    Rank from = 0;
    std::uint32_t id = 0;
    Envelope envelope;
  };
  enum class Source : std::uint32_t { listening, stranger, out, in };

  // messages.cpp
  bool came(Rank from, const Header& header, const std::byte* payload,
            std::optional<ReceiveBuffer>& receive_buffer) override;
  static std::optional<Message> take(std::vector<Message>& pool, std::vector<std::uint32_t>& free, std::uint32_t id,
                                     Rank peer);
  void received(Ticket ticket) override;
  void push(Rank to, const OutStream::Item& item);
  void write(Rank to);

  // connections.cpp
  bool poll(int milliseconds);
  bool watch(int operation, int descriptor, std::uint32_t events, Source source, std::size_t index);
  void unwatch(int descriptor);
  void connect(Rank to);
  void connect_to_next_address(Rank to);
  void silent(Rank rank);
  void out_ready(Rank to, std::uint32_t events);
  void in_ready(Rank from, bool& moved);
  bool try_again(Rank to);
  void fail(Rank rank, std::string reason);
  void fail_here(const char* what);
  void cannot_send(Rank to, std::string reason);
  void leaves(Rank from, Rank lost);
  void tell_that_we_leave(int descriptor, Parting::OwnStream own) const;

  // strangers_in.cpp
  void accept_connections();
  void stranger_ready(std::size_t place);
  void receive(Stranger stranger);
  void enter(Stranger& stranger);
  bool drop_oldest_stranger();
  void drop_silent_strangers();

  const Rank self_;
  Inbox& inbox_;
  const Settings settings_;
  const std::vector<Address> addresses_;
  const Secret::Bytes number_ = random_bytes();  // rank 0's makes the team's key another than any other team's
  std::optional<Secret> key_;
  Descriptor listening_, epoll_;
  Descriptor spare_;  // given up where there is no other left, to see who connects
  Strangers strangers_;
  std::vector<Peer> peers_;
  std::vector<std::unique_ptr<InStream>> ins_;  // by rank
  std::vector<Message> offered_, accepted_;
  std::vector<Offer> offers_;
  std::vector<std::uint32_t> free_offered_, free_accepted_, free_offers_;
  std::vector<Ticket> done_;
  std::optional<Rank> lost_;               // why this rank leaves
  bool moved_ = true;                      // since the last check of peers
  Clock::time_point waits_from_, looked_;  // when such a check last found that something had; when it looked at all
  bool leaving_ = false;                   // nobody listens to reports any more
};

}  // namespace tutti::tcp
