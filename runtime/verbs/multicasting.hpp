#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/multicast/receiver.hpp"
#include "runtime/multicast/sender.hpp"
#include "runtime/verbs/multicast_group.hpp"

namespace tutti {
class Bootstrap;
}

namespace tutti::verbs {

/// Broadcasts by the network's own multicast, where all ranks can: data by datagrams to all, what receivers report by
/// their connections.
class Multicasting {
 public:
  using Clock = std::chrono::steady_clock;
  struct Setting {
    const Adapter& rail;
    std::uint64_t job = 0;
    Rank self = 0;
    int ranks = 0;
    std::uint8_t least_mtu = 0;  // of all ranks' ports
    ibv_comp_channel* wakes = nullptr;
    Inbox& inbox;
  };
  /// Collective.
  void join(Bootstrap& bootstrap, const Setting& setting);
  /// Empty where all ranks have joined.
  const std::string& why_not() const { return why_not_; }

  void post(const Envelope& envelope, const std::byte* bytes, Ticket ticket) { sender_->post(envelope, bytes, ticket); }
  std::string pending() const { return sender_ ? sender_->pending() : ""; }
  bool waits_for(Rank rank) const { return sender_ && sender_->waits_for(rank); }
  /// The receiver `from` has so much.
  bool heard(Rank from, const multicast::Report& report) {
    return sender_ && sender_->heard(from, report, Clock::now());
  }
  /// Sends and receives, or, where this rank leaves, only takes in what comes; `tell` takes what a sender should be
  /// told. True if a call may have come nearer to its end.
  bool progress(bool leaving, const std::function<void(Rank to, const multicast::Report&)>& tell);
  /// Not 0: the device has refused, for this reason; it cannot go on.
  int trouble() const { return group_ ? group_->trouble() : 0; }
  /// nullptr where there is no group.
  ibv_cq* completions() const { return group_ ? group_->completions() : nullptr; }

 private:
  std::uint64_t job_ = 0;
  Rank self_ = 0;
  Inbox* inbox_ = nullptr;
  std::unique_ptr<MulticastGroup> group_;  // with it the two below
  std::optional<multicast::Sender> sender_;
  std::optional<multicast::Receiver> receiver_;
  std::string why_not_;
};

}  // namespace tutti::verbs
