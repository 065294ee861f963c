// What strangers, and peers that make no sense, can do to a rank that listens for TCP.
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <thread>

#include "runtime/tcp/tcp.hpp"
#include "tests/runtime/teams.hpp"

namespace tutti {
namespace {

using Clock = std::chrono::steady_clock;

TeamOptions guarded_tcp() {
  TeamOptions options = test_options();
  options.transports = "tcp";
  return options;
}

struct Listening {
  in_addr_t address;
  std::uint16_t port;
};
/// Sockets of this process at which somebody may connect.
std::vector<Listening> listening() {
  std::vector<Listening> found;
  for (int descriptor = 0; descriptor < 256; ++descriptor) {
    int listens = 0;
    socklen_t size = sizeof listens;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || !listens) continue;
    sockaddr_in at{};
    size = sizeof at;
    if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&at), &size) != 0 || at.sin_family != AF_INET)
      found.push_back({INADDR_ANY, 0});  // of both families: all addresses
    else
      found.push_back({ntohl(at.sin_addr.s_addr), ntohs(at.sin_port)});
  }
  return found;
}

TEST(Strangers, FindNoRankAtOtherAddressesThanLoopbackWhereOneHostHasAllRanks) {
  for (const char* interface : {"", "lo"}) {
    if (*interface) setenv("TUTTI_TCP_INTERFACE", interface, 1);
    std::barrier both(2);
    expect_well(on_threads(
        2,
        [&](Team& team) {
          team.barrier();
          if (team.rank() == 0) {
            const auto all = listening();
            if (all.size() != 2) throw std::runtime_error("expected a listening socket for each rank");
            for (const Listening& one : all)
              if (one.address != INADDR_LOOPBACK) throw std::runtime_error("a rank listens at more than loopback");
          }
          both.arrive_and_wait();
        },
        guarded_tcp()));
    unsetenv("TUTTI_TCP_INTERFACE");
  }
}

std::string text_of(const auto& what) { return {reinterpret_cast<const char*>(&what), sizeof what}; }

/// What strangers may say: of old, of another job, or nonsense; each with a message of 512 GiB behind it.
std::vector<std::string> strange_greetings() {
  tcp::Header large;
  large.envelope.bytes = std::uint64_t{512} << 30;
  const Secret other = Secret::make();
  std::vector<std::string> all{"", "x", "GET / HTTP/1.0\r\n\r\n", std::string(16, '\0') + text_of(large)};
  for (const Rank from : {0, 1, -1, 1 << 30})
    for (const Rank to : {0, 1}) all.push_back(text_of(tcp::Hello::make(other, from, to)) + text_of(large));
  return all;
}

/// In a process of its own, so that its descriptors are not the rank's.
class Crowd {
 public:
  Crowd(std::uint16_t port, int count, bool they_stay) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    process_ = fork();
    if (process_ == 0) {
      rlimit many{};
      getrlimit(RLIMIT_NOFILE, &many);
      many.rlim_cur = many.rlim_max;  // the rank's is less
      setrlimit(RLIMIT_NOFILE, &many);
      std::vector<TcpSocket> all;
      const auto texts = strange_greetings();
      for (int i = 0; i < count; ++i) {
        all.push_back(TcpSocket::connect("127.0.0.1", std::to_string(port), Clock::now() + std::chrono::seconds(20)));
        if (!all.back().is_open()) _exit(1);
        const std::string& text = they_stay ? texts[i % 2] : texts[static_cast<std::size_t>(i) % texts.size()];
        [[maybe_unused]] const auto sent = send(all.back().descriptor(), text.data(), text.size(), MSG_NOSIGNAL);
        if (!they_stay && all.size() > 100) all.clear();
      }
      if (write(ends[1], "y", 1) != 1) _exit(1);
      pause();
    }
    close(ends[1]);
    come_ = ends[0];
  }
  ~Crowd() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    close(come_);
  }
  /// Whether all have connected.
  bool is_here() const {
    pollfd one{come_, POLLIN, 0};
    if (poll(&one, 1, 0) <= 0) return false;
    char said = 0;
    if (read(come_, &said, 1) != 1) throw std::runtime_error("strangers could not connect");
    return true;
  }

 private:
  pid_t process_ = -1;
  int come_ = -1;
};

std::size_t own_memory_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmRSS:") {
      std::size_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes;
    }
  return 0;
}

/// Barriers until all ranks know that it is enough.
void go_on_until(Team& team, const std::function<bool()>& enough) {
  for (std::vector<int> over(1); over[0] == 0;) {
    over[0] = enough();
    team.run(calls::allreduce(over, Predefined::maximum).with("recursive_doubling"));
  }
}

TEST(Strangers, OfAnyKindDoNotMakeARankGrowAndEndNothing) {
  expect_well(on_processes(
      2,
      [](Team& team) {
        team.barrier();
        std::optional<Crowd> crowd;
        if (team.rank() == 1) crowd.emplace(listening().back().port, 8000, false);
        const std::size_t before = own_memory_kilobytes();
        go_on_until(team, [&] { return crowd && crowd->is_here(); });
        if (own_memory_kilobytes() > before + 4096) throw std::runtime_error("the rank has grown");
      },
      guarded_tcp()));
}

TEST(Strangers, WhoAreSilentDoNotTakeARanksDescriptorsOrKeepOthersOut) {
  expect_well(on_processes(
      3,
      [](Team& team) {
        std::vector<int> data(10, 1);
        if (team.rank() == 1) {
          rlimit few{};
          getrlimit(RLIMIT_NOFILE, &few);
          few.rlim_cur = 40;  // fewer than strangers who may wait
          if (few.rlim_max < 2000 || setrlimit(RLIMIT_NOFILE, &few) != 0) throw std::runtime_error("no limit");
        }
        team.run(calls::bcast(data, 0).with("linear"));  // 1 and 2 have not met
        std::optional<Crowd> crowd;
        if (team.rank() == 1) crowd.emplace(listening().back().port, 1100, true);
        std::vector<int> over(1);
        while (over[0] == 0) {
          if (team.rank() == 1) over[0] = crowd->is_here();
          team.run(calls::bcast(over, 1).with("linear"));
          team.run(calls::bcast(data, 0).with("linear"));
          if (team.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        team.run(calls::bcast(data, 2).with("linear"));  // now they do
        team.barrier();
      },
      guarded_tcp()));
}

/// Rank 0, told what comes.
class Told final : public Inbox {
 public:
  void deliver(Rank, const Envelope&, const void*) override { ++messages; }
  ReceiveBuffer receive_buffer(Rank, const Envelope& envelope) override {
    memory.resize(envelope.bytes);
    return {Region::contiguous(memory.data(), memory.size()), 0};
  }
  void received(Ticket) override { ++messages; }
  void offered(Rank, const Envelope&, std::uint64_t offer) override { offers.push_back(offer); }
  void sent(Ticket) override {}
  void failed(Rank, std::string why) override { reason = std::move(why); }
  void left(Rank) override {}

  std::vector<std::byte> memory;
  std::vector<std::uint64_t> offers;
  int messages = 0;
  std::string reason;
};

/// A rank 0 over TCP, and this test in the place of rank 1, which says what no rank would.
class Peer : public testing::Test {
 protected:
  Peer() {
    const std::string endpoint = self.endpoint();
    // Rank 1's is like it; what rank 0's begins with is its number.
    self.meet({endpoint, endpoint}, secret);
    key = Secret(secret.proof_of("tcp" + endpoint.substr(0, 16)));
    port = listening().back().port;
  }
  /// On a connection of its own; polls until what follows from it has been seen.
  void say(const std::string& text, bool ends = false) {
    connections.push_back(
        TcpSocket::connect("127.0.0.1", std::to_string(port), Clock::now() + std::chrono::seconds(5)));
    ASSERT_TRUE(connections.back().write(text, Clock::now() + std::chrono::seconds(5)));
    if (ends) shutdown(connections.back().descriptor(), SHUT_WR);
    for (const auto until = Clock::now() + std::chrono::milliseconds(150); Clock::now() < until;) self.progress();
  }
  std::string hello(Rank from = 1, Rank to = 0) const { return text_of(tcp::Hello::make(*key, from, to)); }
  static tcp::Header header(tcp::Header::Kind kind, std::uint64_t bytes = 0, std::uint32_t id = 0) {
    tcp::Header made;
    made.kind = kind;
    made.id = id;
    made.envelope.bytes = bytes;
    return made;
  }

  const Secret secret = Secret::make();
  Told told;
  tcp::Address loopback{4, {127, 0, 0, 1}};
  tcp::Tcp self{0, told, {10, 1000}, {loopback}};
  std::optional<Secret> key;
  std::uint16_t port = 0;
  std::vector<TcpSocket> connections;
};
using Kind = tcp::Header::Kind;

TEST_F(Peer, ThatProvesWhoItIsIsHeardAndAnyOtherIsNot) {
  const std::string message = text_of(header(Kind::message, 1)) + "x";
  for (const auto& [from, to] : {std::pair(0, 1), {0, 0}, {1, 1}, {2, 0}, {-1, 0}}) say(hello(from, to) + message);
  std::string wrong = hello();
  wrong.back() ^= 1;
  say(wrong + message);
  say(hello().substr(1) + message);
  EXPECT_EQ(told.messages, 0);
  say(hello() + message);
  EXPECT_EQ(told.messages, 1);
  say(hello() + message);  // a rank comes once
  EXPECT_EQ(told.messages, 1);
  EXPECT_EQ(told.reason, "");
}

TEST_F(Peer, ThatSendsMoreThanItSaidItWouldUnaskedMakesNoSense) {
  say(hello() + text_of(header(Kind::message, std::uint64_t{512} << 30)));
  EXPECT_EQ(told.reason, "what it says makes no sense");
  EXPECT_TRUE(told.memory.empty());
}

class Senseless : public Peer, public testing::WithParamInterface<std::tuple<Kind, std::uint32_t>> {};
INSTANTIATE_TEST_SUITE_P(Numbers, Senseless,
                         testing::Combine(testing::Values(Kind::accept, Kind::data, Kind::leave, static_cast<Kind>(99)),
                                          testing::Values(2u, 1000u, 0x7fffffffu, 0xffffffffu)));
TEST_P(Senseless, NumberOfAPeerIsNoIndex) {
  say(hello() + text_of(header(std::get<0>(GetParam()), 5, std::get<1>(GetParam()))));
  EXPECT_EQ(told.reason, "what it says makes no sense");
}

TEST_F(Peer, ThatSendsOtherBytesThanWereWantedMakesNoSense) {
  say(hello() + text_of(header(Kind::offer, 2000, 7)));
  ASSERT_EQ(told.offers.size(), 1u);
  std::vector<std::byte> place(2000);
  self.accept(1, told.offers[0], Region::contiguous(place.data(), place.size()), 0);
  EXPECT_EQ(
      send(connections.back().descriptor(), text_of(header(Kind::data, 1 << 20, 0)).data(), sizeof(tcp::Header), 0),
      static_cast<ssize_t>(sizeof(tcp::Header)));
  for (const auto until = Clock::now() + std::chrono::milliseconds(150); Clock::now() < until;) self.progress();
  EXPECT_EQ(told.reason, "what it says makes no sense");
}

}  // namespace
}  // namespace tutti
