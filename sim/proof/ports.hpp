#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "algos/view.hpp"

namespace tutti::proof {

/// How one rank uses its ports in the k-ported model (executor.hpp).
class Ports {
 public:
  /// The round, after `now`, in which a message to `peer` starts. What goes to the same peer as the message before,
  /// with no wait between, travels with it while it has not left.
  std::int64_t start(std::int64_t now, Rank peer, int ports) {
    if (last_peer_ == peer && last_epoch_ == epoch_ && send_round_ > now) return send_round_;
    std::int64_t round = std::max(now + 1, send_round_);
    if (round == send_round_ && sends_ >= ports) ++round;
    sends_ = round == send_round_ ? sends_ + 1 : 1;
    send_round_ = round;
    last_peer_ = peer;
    last_epoch_ = epoch_;
    return round;
  }
  void wait() { ++epoch_; }

  /// True if a port is left in round `now` for what `source` started in round `started`, or came with it.
  bool take_in(std::int64_t now, Rank source, std::int64_t started, int ports) {
    if (receive_round_ != now) {
      receive_round_ = now;
      arrived_.clear();
    }
    const std::pair key(source, started);
    if (std::find(arrived_.begin(), arrived_.end(), key) != arrived_.end()) return true;
    if (static_cast<int>(arrived_.size()) >= ports) return false;
    arrived_.push_back(key);
    return true;
  }

 private:
  std::int64_t send_round_ = 0, receive_round_ = 0;
  int sends_ = 0;
  Rank last_peer_ = -1;
  std::uint64_t last_epoch_ = 0, epoch_ = 1;            // a wait begins a new epoch
  std::vector<std::pair<Rank, std::int64_t>> arrived_;  // (source, start) of what came in during receive_round_
};

}  // namespace tutti::proof
