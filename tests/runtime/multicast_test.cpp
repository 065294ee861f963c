// Reliable broadcasts over packets that are lost, overtaken and doubled, on a network that a random generator is.
#include <algorithm>
#include <memory>
#include <queue>
#include <random>

#include "runtime/multicast/receiver.hpp"
#include "runtime/multicast/sender.hpp"
#include "tests/runtime/teams.hpp"

namespace tutti::multicast {
namespace {

using namespace std::chrono_literals;
constexpr std::size_t kPayload = 100;

std::vector<std::byte> message(std::uint32_t call, std::uint64_t bytes) {
  std::vector<std::byte> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) made[i] = static_cast<std::byte>(call * 31 + i * 7 + i / 251);
  return made;
}

/// Takes messages; every second one into pieces of memory that lie apart.
class Taker final : public Inbox {
 public:
  void deliver(Rank, const Envelope&, const void*) override { FAIL(); }
  ReceiveBuffer receive_buffer(Rank, const Envelope& envelope) override {
    EXPECT_FALSE(busy_) << "one at a time";
    busy_ = true;
    current_ = envelope;
    memory_.assign(2 * envelope.bytes + 1, std::byte{0xee});
    const std::size_t runs = (envelope.bytes + 29) / 30;
    if (envelope.call % 2 == 0 || runs < 2) return {Region::contiguous(memory_.data(), envelope.bytes), 0};
    return {{memory_.data(), 30, 50, runs, envelope.bytes - (runs - 1) * 30}, 0};
  }
  void received(Ticket) override {
    const auto expected = message(current_.call, current_.bytes);
    const bool apart = current_.call % 2 == 1 && current_.bytes > 30;
    bool right = true;
    for (std::size_t i = 0; i < expected.size(); ++i) right &= memory_[apart ? i / 30 * 50 + i % 30 : i] == expected[i];
    EXPECT_TRUE(right) << "call " << current_.call;
    come.push_back(current_.call);
    busy_ = false;
  }
  void offered(Rank, const Envelope&, std::uint64_t) override { FAIL(); }
  void sent(Ticket) override {}
  void failed(Rank, std::string) override { FAIL(); }
  void left(Rank) override {}
  std::vector<std::uint32_t> come;

 private:
  bool busy_ = false;
  Envelope current_;
  std::vector<std::byte> memory_;
};

struct Outcome {
  double packets = 0;
  double milliseconds = 0;
};

using Duration = Sender::Clock::duration;

/// What a network does to packets, beside the 0.1 ms that they and reports take.
struct Weather {
  double loss = 0;           // at each receiver of its own
  Duration jitter{};         // up to so much longer, of each packet
  double twice = 0;          // comes again
  double no_room = 0.01;     // the adapter has none, or says so
  double report_loss = 0;    // none on a connection that works
  Duration report_jitter{};  // and they overtake each other
  Duration connects{};       // reports before that wait for it
  Duration sleeps{};         // now and then a rank looks at nothing for so long
};

/// Rank 0 sends to all others messages of these sizes, all posted at once.
Outcome broadcast(int ranks, const std::vector<std::uint64_t>& sizes, const Weather& weather, unsigned seed) {
  struct Event {
    Sender::Clock::time_point when;
    Rank to;
    Header header;
    std::vector<std::byte> piece;
    Report report;
    bool operator<(const Event& other) const { return when > other.when; }
  };
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<> chance(0, 1);
  const auto some = [&](Duration most) { return std::chrono::duration_cast<Duration>(chance(random) * most); };
  std::priority_queue<Event> events;
  Sender::Clock::time_point now{};
  now += 1h;
  const auto begin = now;
  std::vector<Sender::Clock::time_point> awake(static_cast<std::size_t>(ranks), now);
  Outcome outcome;
  Sender sender(7, 0, ranks, kPayload, [&](const Header& header, const std::byte* piece, std::size_t bytes) {
    ++outcome.packets;
    for (Rank to = 1; to < ranks; ++to)
      for (int copies = chance(random) < weather.loss    ? 0
                        : chance(random) < weather.twice ? 2
                                                         : 1;
           copies > 0; --copies)
        events.push({now + 100us + some(weather.jitter), to, header, {piece, piece + bytes}, {}});
    now += 1us;
    return chance(random) >= weather.no_room;
  });
  std::vector<Taker> takers(static_cast<std::size_t>(ranks));
  std::vector<std::unique_ptr<Receiver>> receivers;
  for (Taker& taker : takers) receivers.push_back(std::make_unique<Receiver>(taker, ranks, kPayload));
  std::vector<std::vector<std::byte>> messages;
  std::vector<Ticket> complete;
  for (std::uint32_t call = 0; call < sizes.size(); ++call) {
    messages.push_back(message(call, sizes[call]));
    sender.post({0, call, 0, sizes[call]}, messages.back().data(), call);
  }
  while (!sender.idle()) {
    sender.progress(now, [&](Ticket ticket) {
      for (Rank r = 1; r < ranks; ++r)
        EXPECT_EQ(takers[static_cast<std::size_t>(r)].come.size(), ticket + 1) << "complete where not all have it";
      complete.push_back(ticket);
    });
    now += 5us;
    if (now - begin > 1h) {
      ADD_FAILURE() << "no end: " << sender.pending();
      break;
    }
    // Nothing happens before the next event, but that the sender may lose its patience.
    now = std::max(now, std::min(now + 1ms, events.empty() ? now + 1ms : events.top().when));
    while (!events.empty() && events.top().when <= now) {
      Event event = events.top();
      events.pop();
      const auto to = static_cast<std::size_t>(event.to);
      if (chance(random) < 0.001) awake[to] = now + some(weather.sleeps);
      if (awake[to] > now) {
        event.when = awake[to];
        events.push(event);
        continue;
      }
      if (event.to == 0) {
        sender.heard(event.header.from, event.report, now);
        continue;
      }
      const auto report = receivers[to]->arrived(event.header, event.piece.data(), event.piece.size()).report;
      if (!report || chance(random) < weather.report_loss) continue;
      Header from;
      from.from = event.to;
      const auto sent = std::max(now, begin + weather.connects * event.to / ranks);
      events.push({sent + 100us + some(weather.report_jitter), 0, from, {}, *report});
    }
  }
  std::vector<std::uint32_t> all(sizes.size());
  for (std::uint32_t call = 0; call < all.size(); ++call) all[call] = call;
  EXPECT_EQ(complete, all);
  for (Rank r = 1; r < ranks; ++r) EXPECT_EQ(takers[static_cast<std::size_t>(r)].come, all) << "rank " << r;
  outcome.milliseconds = std::chrono::duration<double, std::milli>(now - begin).count();
  return outcome;
}

const std::vector<std::uint64_t> kSizes = {0, 1, 99, 100, 101, 6399, 6400, 6401, 0, 40'000, 5};

double packets_of_all() {
  std::size_t packets = 0;
  for (const std::uint64_t bytes : kSizes) packets += packets_of(bytes, kPayload);
  return static_cast<double>(packets);
}

TEST(Multicast, SendsEveryPacketOnceWhereNoneIsLost) {
  for (const int ranks : {2, 3, 17}) {
    const Outcome outcome = broadcast(ranks, kSizes, {}, 1);
    // What the adapter had no room for was offered again.
    EXPECT_GE(outcome.packets, packets_of_all());
    EXPECT_LE(outcome.packets, packets_of_all() * 1.1);
  }
}

TEST(Multicast, LosesNothingWhereOnePacketInTwentyIsLost) {
  for (unsigned seed = 0; seed < 20; ++seed)
    for (const int ranks : {2, 4, 9}) {
      const Outcome outcome = broadcast(ranks, kSizes, {.loss = 0.05, .twice = 0.02}, seed);
      EXPECT_LT(outcome.packets, packets_of_all() * (1.3 + 0.1 * ranks)) << "what is missing is sent again, not all";
      EXPECT_LT(outcome.milliseconds, 2000);
    }
}

TEST(Multicast, LosesNothingWhereMostPacketsAreLostOvertakenAndDoubled) {
  for (unsigned seed = 0; seed < 10; ++seed)
    broadcast(4, {0, 1, 3000, 101}, {.loss = 0.6, .jitter = 3ms, .twice = 0.3}, seed);
}

/// No state has no way out, whatever comes together.
TEST(Multicast, EndsInAnyWeather) {
  double longest = 0;
  for (unsigned seed = 0; seed < 4000 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    // Half of the time none of it, else of any size up to the most.
    const auto some = [&](double most) { return random() % 2 ? 0 : most * std::uniform_real_distribution<>()(random); };
    const auto until = [&](Duration most) { return std::chrono::duration_cast<Duration>(most * some(1)); };
    const Weather weather{some(0.5), until(30ms), some(0.3), some(0.3), some(0.3), until(30ms), until(2s), until(3s)};
    const int ranks = 2 + static_cast<int>(random() % 8);
    std::vector<std::uint64_t> sizes;
    for (auto messages = 1 + random() % 4; messages > 0; --messages)
      sizes.push_back(random() % (random() % 4 ? 500 : 15'000));
    longest = std::max(longest, broadcast(ranks, sizes, weather, seed).milliseconds);
  }
  EXPECT_LT(longest, 100'000) << "milliseconds";
}

TEST(Multicast, OvertakenPacketsAreNotAllTakenForLost) {
  const Outcome outcome = broadcast(3, {200'000}, {.jitter = 50us}, 3);
  EXPECT_LT(outcome.packets, 2.2 * 2000);
}

/// Or a wait would never reach its limit.
TEST(Multicast, WhoOnlyRepeatsItselfMakesNoProgress) {
  Sender::Clock::time_point now{};
  now += 1h;
  int packets = 0;
  Sender sender(7, 0, 3, kPayload, [&](const Header&, const std::byte*, std::size_t) { return ++packets > 0; });
  const auto progress = [&] { return sender.progress(now, [](Ticket) { FAIL() << "not all have it"; }); };
  const std::vector<std::byte> bytes(250);
  sender.post({0, 0, 0, bytes.size()}, bytes.data(), 0);
  EXPECT_EQ(sender.pending(), "multicast of 250 bytes not begun");
  EXPECT_TRUE(progress());
  EXPECT_TRUE(sender.heard(2, {3, 0, 2}, now)) << "it has all";
  EXPECT_TRUE(sender.heard(1, {1, 0b10, 2}, now)) << "one more";
  for (int round = 0; round < 100; ++round) {
    now += 100ms;
    EXPECT_FALSE(sender.heard(2, {3, 0, 2}, now));
    EXPECT_FALSE(sender.heard(1, {1, 0b10, 2}, now)) << "the second packet, again and again";
    EXPECT_FALSE(progress());
  }
  EXPECT_GT(packets, 3 + 50) << "which is sent again";
  EXPECT_EQ(sender.pending(), "multicast of 250 bytes: packet 2 of 3 not reported by rank 1");
}

TEST(Multicast, PacketsThatMakeNoSenseAreIgnored) {
  Taker taker;
  Receiver receiver(taker, 2, kPayload);
  const std::vector<std::byte> piece(kPayload);
  Header header{7, 0, 0, {0, 0, 0, 250}, 0, 0};
  const auto is_ignored = [&](const Header& of, const std::byte* first, std::size_t bytes) {
    const auto [is_new, report] = receiver.arrived(of, first, bytes);
    return !is_new && !report;
  };
  EXPECT_TRUE(is_ignored(header, piece.data(), 99)) << "too short for a first piece";
  header.sequence = 3;
  EXPECT_TRUE(is_ignored(header, piece.data(), 50)) << "the message has three packets";
  header.from = 2;
  EXPECT_TRUE(is_ignored(header, piece.data(), 100)) << "no such rank";
  header = {7, 0, 0, {0, 0, 0, 25'000}, kWindow, 0};
  EXPECT_TRUE(is_ignored(header, piece.data(), 100)) << "beyond the window";
  EXPECT_TRUE(taker.come.empty());
}

TEST(MulticastCall, IsRefusedByNameWhereThereIsNone) {
  expect_well(on_threads(2, [](Team& team) {
    std::vector<int> data(10, team.rank());
    try {
      team.run(calls::bcast(data).with("multicast"));
    } catch (const std::invalid_argument& error) {
      if (std::string(error.what()).find("shm has none") == std::string::npos) throw;
      team.bcast(data, 1);  // the team goes on
      if (data[0] != 1) throw std::runtime_error("wrong data");
      return;
    }
    throw std::runtime_error("was not refused");
  }));
  expect_well(on_threads(1, [](Team& team) {
    std::vector<int> data(10, 3);
    team.run(calls::bcast(data).with("multicast"));  // nobody to send to
    if (team.algorithm_of(calls::bcast(data).with("multicast")) != "multicast") throw std::runtime_error("its name");
  }));
}

}  // namespace
}  // namespace tutti::multicast
