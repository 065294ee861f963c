#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "runtime/multicast/packet.hpp"

namespace tutti::multicast {

/// One rank's messages to all others, one after the other. One thread.
class Sender {
 public:
  using Clock = std::chrono::steady_clock;
  /// Sends one packet to all, or loses it; false: not now.
  using Transmit = std::function<bool(const Header&, const std::byte* piece, std::size_t bytes)>;
  /// Of no receivers, every message is complete once it has been sent.
  Sender(std::uint64_t job, Rank self, int ranks, std::size_t payload, Transmit transmit);

  /// The bytes stay as they are until progress() reports the ticket: every receiver has all of them.
  void post(const Envelope& envelope, const std::byte* bytes, Ticket ticket);
  /// True if the receiver has more than was known.
  bool heard(Rank from, const Report& report, Clock::time_point now);
  /// Sends what may be sent, and again what is missing. True if anything was sent for the first time or is complete:
  /// who only repeats itself has not come nearer to its end.
  bool progress(Clock::time_point now, const std::function<void(Ticket)>& complete);
  bool idle() const { return messages_.empty(); }
  /// The rank has not reported all that was posted.
  bool waits_for(Rank rank) const { return had_[rank] < end_; }
  /// What the message under way waits for; empty: nothing.
  std::string pending() const;

 private:
  struct Message {
    Envelope envelope;
    const std::byte* bytes;
    Ticket ticket;
    Sequence first, end;
  };
  Clock::duration loss_after() const;
  bool transmit(Sequence sequence, bool answer, Clock::time_point now);

  const std::uint64_t job_;
  const Rank self_;
  const std::size_t payload_;
  const Transmit transmit_;
  std::deque<Message> messages_;  // the first is under way
  std::vector<Sequence> had_;     // by rank: all before this one
  Sequence least_had_ = 0, next_ = 0, end_ = 0;
  struct Sent {
    Clock::time_point last{};
    bool again = false, missing = false;
  };
  std::array<Sent, kWindow> sent_{};    // by sequence modulo the window
  Clock::time_point asked_{};           // or heard something new
  Clock::duration patience_, round_{};  // round: from a packet to the report that it makes
};

}  // namespace tutti::multicast
