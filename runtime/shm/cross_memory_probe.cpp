#include "runtime/shm/cross_memory_probe.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "runtime/error.hpp"
#include "runtime/tcp_socket.hpp"

namespace tutti::shm {
namespace {

using Clock = std::chrono::steady_clock;

class CrossMemoryProbe final : public Inbox {
 public:
  explicit CrossMemoryProbe(Peer& peer) : peer_(peer), from_(kMostBytes, std::byte{1}), to_(kMostBytes, std::byte{2}) {}

  static constexpr std::size_t kMostBytes = 256 << 10;

  /// Seconds, until the message to the peer has left and the one from it is there.
  double exchange(std::size_t bytes) {
    const auto begin = Clock::now();
    ++turn_;
    if (begin > end_) last_turn_ = std::min(last_turn_, turn_);
    const Envelope envelope{0, 0, is_over() ? kLast : std::uint8_t{0}, bytes};
    if (peer_.send(envelope, Region::contiguous(from_.data(), bytes), 0, *this)) ++sent_;
    for (std::uint32_t polls = 1; sent_ < turn_ || arrived_ < turn_; ++polls) {
      if (peer_.progress(*this)) continue;
      if (polls % 4096 != 0) continue;
      peer_.check_liveness(*this);
      if (lost_) throw TeamError("a peer has ended while the team was made");
      if (TcpSocket::is_there_no_use()) throw TeamError("the team cannot be made any more");
      sched_yield();
    }
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  /// It has taken too long for one of both, who have said so to each other with the last message: what is measured
  /// where so much else runs says nothing.
  bool is_over() const { return turn_ >= last_turn_; }

 private:
  static constexpr std::uint8_t kLast = 1;                   // the lane of a last message
  static constexpr auto kLongest = std::chrono::seconds(1);  // about fifty times what it takes on cores that are idle

  void deliver(Rank, const Envelope& envelope, const void*) override { come(envelope), ++arrived_; }
  ReceiveBuffer receive_buffer(Rank, const Envelope& envelope) override {
    come(envelope);
    return {Region::contiguous(to_.data(), envelope.bytes), 0};
  }
  /// The peer may be a turn ahead.
  void come(const Envelope& envelope) {
    ++begun_;
    if (envelope.lane == kLast) last_turn_ = std::min(last_turn_, begun_);
  }
  void received(Ticket) override { ++arrived_; }
  void offered(Rank from, const Envelope& envelope, std::uint64_t offer) override {
    peer_.accept(offer, envelope.bytes, receive_buffer(from, envelope), *this);
  }
  void sent(Ticket) override { ++sent_; }
  void failed(Rank, std::string) override { lost_ = true; }
  void left(Rank) override { lost_ = true; }

  Peer& peer_;
  std::vector<std::byte> from_, to_;
  std::uint64_t turn_ = 0, sent_ = 0, begun_ = 0, arrived_ = 0;
  std::uint64_t last_turn_ = std::numeric_limits<std::uint64_t>::max();
  const Clock::time_point end_ = Clock::now() + kLongest;
  bool lost_ = false;
};

}  // namespace

std::uint64_t probe_cross_memory(Peer& peer, const CrossMemory& memory, bool may_read) {
  constexpr int kTimes = 12;
  CrossMemoryProbe probe(peer);
  const auto exchange = [&](std::size_t bytes, std::uint64_t from_bytes) {
    peer.use_cross_memory(from_bytes, memory);
    return probe.exchange(bytes);
  };
  for (int i = 0; i < kTimes && !probe.is_over(); ++i) exchange(CrossMemoryProbe::kMostBytes, kNoCrossMemory);
  std::uint64_t from = kNoCrossMemory;
  for (std::size_t bytes = CrossMemoryProbe::kMostBytes; bytes > kSlotBytes && !probe.is_over(); bytes /= 2) {
    double sent = std::numeric_limits<double>::infinity(), read = sent;
    for (int i = 0; i < kTimes && !probe.is_over(); ++i) {
      sent = std::min(sent, exchange(bytes, kNoCrossMemory));
      if (!probe.is_over()) read = std::min(read, exchange(bytes, may_read ? 0 : kNoCrossMemory));
    }
    // A size that something else disturbed, as the largest are most easily, does not decide.
    if (may_read && read < sent) from = bytes;
  }
  if (probe.is_over()) from = kNoCrossMemory;
  peer.use_cross_memory(kNoCrossMemory, memory);
  return from;
}

int core_for_probe(bool first) {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return -1;
  int found = -1;
  for (int core = 0; core < CPU_SETSIZE && (found < 0 || !first); ++core)
    if (CPU_ISSET(core, &mask)) found = core;
  return found;
}

PinnedToCore::PinnedToCore(int core) : moved_(sched_getaffinity(0, sizeof before_, &before_) == 0) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(core, &mask);
  moved_ = moved_ && sched_setaffinity(0, sizeof mask, &mask) == 0;
}

PinnedToCore::~PinnedToCore() {
  if (moved_) sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace tutti::shm
