#pragma once

#include <array>
#include <span>
#include <vector>

#include "runtime/verbs/wire.hpp"

namespace tutti::verbs {

/// The reliable queue pairs to one peer, one per rail, all of them made before any is connected.
class Connection {
 public:
  /// What is inlined saves the adapter a read of memory; more than this saves little.
  static constexpr std::uint32_t kMostInline = 256;
  struct Queues {
    ibv_cq* completions = nullptr;
    ibv_srq* receives = nullptr;  // nullptr on rails that only fetch
  };
  /// Throws TeamError where the adapter refuses.
  Connection(std::span<const Adapter> rails, std::span<const Queues> queues, std::uint32_t most_posted);

  std::array<std::uint32_t, kMostRails> numbers() const;
  /// Connects them to the peer's; false, and errno, where an adapter refuses. Goes on where it was, if called again.
  bool connect(std::span<const Adapter> rails, const Endpoint& peer,
               const std::array<std::uint32_t, kMostRails>& peer_numbers);
  ibv_qp* rail(std::size_t rail) const { return queue_pairs_[rail].get(); }
  std::size_t rails() const { return queue_pairs_.size(); }
  /// Sends of at most so many bytes may be posted inline: their memory is free at once.
  std::uint32_t inline_bytes() const { return inline_bytes_; }

 private:
  std::vector<QueuePair> queue_pairs_;
  std::size_t connected_ = 0;
  std::uint32_t inline_bytes_ = 0;
};

}  // namespace tutti::verbs
