// exchange TRANSPORT RANKS FIRST COUNT HOST PORT [linger|long]: COUNT ranks of RANKS in this process, a thread each,
// from rank FIRST on, exchange messages of many sizes and shapes over the transport and check every byte. long: of two
// sizes alone. Ends with 0 if all was right; with 3 if a peer was reported as failed, which it prints.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/bootstrap.hpp"
#include "runtime/error.hpp"
#include "runtime/transports.hpp"
#include "tests/runtime/verbs/ranks.hpp"

namespace {

using namespace tutti;

std::byte expected(Rank from, Rank to, std::uint64_t message, std::size_t at) {
  return static_cast<std::byte>(static_cast<std::size_t>(from) * 31 + static_cast<std::size_t>(to) * 17 + message * 7 +
                                at * 13 + at / 251);
}

// Eager and fetched, empty, odd, around the limit between them and around one piece of a fetch, and of three pieces.
std::vector<std::uint64_t> sizes = {0, 1, 47, 200, 4096, 8000, 8192, 8193, 100'001, (1 << 20) + 1, (5 << 19) + 3};

struct Message {
  std::vector<std::byte> memory;
  Region region;
};

/// Every second message lies in pieces of 1000 bytes, 1500 apart.
Message make_message(std::uint64_t number, std::uint64_t bytes) {
  Message message;
  if (number % 2 == 0 || bytes <= 1000) {
    message.memory.resize(bytes);
    message.region = Region::contiguous(message.memory.data(), bytes);
  } else {
    const std::size_t runs = (bytes + 999) / 1000;
    message.memory.resize(runs * 1500);
    message.region = {message.memory.data(), 1000, 1500, runs, bytes - (runs - 1) * 1000};
  }
  return message;
}

class Ranks final : public Inbox {
 public:
  Ranks(Bootstrap& bootstrap) : self_(bootstrap.rank()), size_(bootstrap.size()) {}

  void deliver(Rank from, const Envelope& envelope, const void* payload) override {
    Message message = make_message(0, envelope.bytes);
    if (envelope.bytes > 0) std::memcpy(message.memory.data(), payload, envelope.bytes);
    check(from, envelope, message);
  }
  ReceiveBuffer receive_buffer(Rank from, const Envelope& envelope) override {
    const auto ticket = static_cast<Ticket>(1000 * from + static_cast<Rank>(envelope.call));
    incoming_[ticket] = {envelope, make_message(envelope.call, envelope.bytes)};
    return {incoming_[ticket].second.region, ticket};
  }
  void offered(Rank from, const Envelope& envelope, std::uint64_t offer) override {
    const ReceiveBuffer buffer = receive_buffer(from, envelope);
    transport->accept(from, offer, buffer.into, buffer.ticket);
  }
  void received(Ticket ticket) override {
    check(static_cast<Rank>(ticket / 1000), incoming_[ticket].first, incoming_[ticket].second);
    incoming_.erase(ticket);
  }
  void sent(Ticket) override { ++sent_; }
  void left(Rank) override {}
  void failed(Rank peer, std::string reason) override { failure_ = "rank " + std::to_string(peer) + ": " + reason; }

  int run(double seconds, bool linger) {
    std::vector<Message> outgoing;
    for (Rank to = 0; to < size_; ++to)
      for (std::size_t number = 0; to != self_ && number < sizes.size(); ++number) {
        Message message = make_message(number, sizes[number]);
        Cursor cursor(message.region);
        for (std::size_t at = 0; cursor.left() > 0;)
          for (std::byte& byte : cursor.next(cursor.left())) byte = expected(self_, to, number, at++);
        outgoing.push_back(std::move(message));
      }
    std::size_t next = 0;
    for (Rank to = 0; to < size_; ++to)
      for (std::size_t number = 0; to != self_ && number < sizes.size(); ++number, ++next)
        if (transport->send(to, {0, static_cast<std::uint32_t>(number), 0, sizes[number]}, outgoing[next].region,
                            static_cast<Ticket>(next)))
          ++sent_;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    const std::size_t all = outgoing.size();
    for (int idle = 0; received_ < all || sent_ < all;) {
      if (!failure_.empty()) return std::printf("rank %d: peer failed: %s\n", self_, failure_.c_str()), 3;
      if (std::chrono::steady_clock::now() > end)
        return std::printf("rank %d: %zu of %zu received, %zu sent in time\n", self_, received_, all, sent_), 1;
      if (transport->progress()) continue;
      if (++idle % 64 == 0) transport->check_liveness();
      std::this_thread::yield();
    }
    std::printf("rank %d: %zu messages sent and received, %zu wrong\n", self_, all, wrong_);
    std::fflush(stdout);
    while (linger && failure_.empty() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      transport->progress();
      transport->check_liveness();
    }
    if (linger) return std::printf("rank %d: peer failed: %s\n", self_, failure_.c_str()), 3;
    return wrong_ == 0 ? 0 : 1;
  }

  MessageTransport* transport = nullptr;

 private:
  void check(Rank from, const Envelope& envelope, const Message& message) {
    Cursor cursor(message.region);
    bool right = sizes[envelope.call] == envelope.bytes && in_order(from, envelope);
    for (std::size_t at = 0; cursor.left() > 0;)
      for (const std::byte byte : cursor.next(cursor.left()))
        right &= byte == expected(from, self_, envelope.call, at++);
    wrong_ += !right;
    ++received_;
  }

  /// What is not fetched is reported in the order in which it was sent.
  bool in_order(Rank from, const Envelope& envelope) {
    if (envelope.bytes > 4096) return true;
    const bool right = last_[from] <= envelope.call;
    last_[from] = envelope.call;
    return right;
  }

  const Rank self_;
  const int size_;
  std::map<Ticket, std::pair<Envelope, Message>> incoming_;
  std::map<Rank, std::uint32_t> last_;
  std::size_t received_ = 0, sent_ = 0, wrong_ = 0;
  std::string failure_;
};

int run_rank(const std::string& name, Rank rank, int size, const Meeting& meeting, bool linger) try {
  const auto bootstrap = bootstrap_tcp(rank, size, meeting, Limit(120));
  Ranks ranks(*bootstrap);
  const TeamLayout layout = find_layout(*bootstrap);
  std::unique_ptr<MessageTransport> transport;
  for (const TransportMaker& maker : transport_makers())
    if (maker.name == name) transport = maker.make({*bootstrap, layout, ranks});
  if (!transport) return std::printf("rank %d: no transport %s here\n", rank, name.c_str()), 1;
  ranks.transport = transport.get();
  return ranks.run(150, linger);
} catch (const std::exception& error) {
  return std::printf("rank %d: %s\n", rank, error.what()), 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7 && argc != 8)
    return std::fprintf(stderr, "usage: exchange TRANSPORT RANKS FIRST COUNT HOST PORT [linger|long]\n"), 2;
  const bool linger = argc == 8 && argv[7] == std::string_view("linger");
  if (argc == 8 && !linger) sizes = {(3 << 19) + 3, 8193};
  const int size = std::atoi(argv[2]), first = std::atoi(argv[3]), count = std::atoi(argv[4]);
  std::atomic<int> worst = 0;
  std::vector<std::thread> threads;
  for (int rank = first; rank < first + count; ++rank)
    threads.emplace_back([&, rank] {
      const int status = run_rank(argv[1], rank, size, meeting_at(argv[5], argv[6]), linger);
      if (status > worst) worst = status;
    });
  for (std::thread& thread : threads) thread.join();
  std::fflush(stdout);
  return worst;
}
