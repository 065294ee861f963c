#pragma once

#include <string>
#include <vector>

#include "algos/payload.hpp"
#include "base/hash_table.hpp"
#include "sim/message_cost.hpp"

namespace tutti {

/// The messages of a simulation that are posted or under way, and which send belongs to which receive. A number is used
/// again once its message was given back.
class Messages {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  // Where there are thousands of ranks, each event finds what it needs out of the cache. So what every message needs is
  // on one line, and what few do is elsewhere.
  struct alignas(64) Message {
    Rank from = 0, to = 0;
    std::int64_t bytes = 0;
    std::uint32_t send_op = 0, recv_op = 0;  // slots of operations
    std::uint32_t next = kNone;              // in its channel
    std::uint32_t next_to_flow = kNone;      // on its connection
    const Segment* segment = nullptr;
    double ready_seconds = 0;  // when the sender's processor was done with it
    double links_seconds = 0;  // the latency of the links on its way
    std::uint8_t distance = 0;
    AtEnd at_end = AtEnd::nothing;  // what its receive does with the bytes
    bool eager : 1 = true;
    bool packed : 1 = false;                       // its sender's processor copies it together
    bool ready : 1 = false;                        // the sender's processor is done with it
    bool wanted : 1 = false, arrived : 1 = false;  // its receive is posted; all bytes are there
    bool takes_turns : 1 = false;                  // what is still to flow does, with the other direction's
  };
  static_assert(sizeof(Message) == 64);
  struct Details {
    double at_end_seconds_per_byte = 0;   // what its receive does takes so long
    double packing_seconds_per_byte = 0;  // its bytes flow no faster than the sender's processor copies them together
    Payload::Parcel parcel = 0;
  };

  Message& operator[](std::uint32_t id) { return messages_[id]; }
  const Message& operator[](std::uint32_t id) const { return messages_[id]; }
  Details& details(std::uint32_t id) { return details_[id]; }
  void fetch_ahead(std::uint32_t id) const { __builtin_prefetch(&messages_[id]); }

  /// The oldest message of this key (source and destination; group, call and lane) that lacks this half, or a new one.
  std::uint32_t match(const PairKey& key, bool is_send) {
    auto& entry = channels_.at(key);
    Channel& channel = entry.value;
    if (channel.first != kNone && channel.holds_sends != is_send) {
      const std::uint32_t id = channel.first;
      channel.first = messages_[id].next;
      if (channel.first == kNone) channels_.erase(entry);
      return id;
    }
    const std::uint32_t id = take();
    channel.holds_sends = is_send;
    (channel.first == kNone ? channel.first : messages_[channel.last].next) = id;
    channel.last = id;
    return id;
  }
  void give_back(std::uint32_t id) { free_.push_back(id); }
  /// Some of those that lack a half.
  std::string unmatched_text() const;

 private:
  /// Messages of one key that lack the other half: all of them sends, or all receives.
  struct Channel {
    std::uint32_t first = kNone, last = kNone;
    bool holds_sends = false;
  };

  std::uint32_t take() {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(messages_.size()));
      messages_.emplace_back();
      details_.emplace_back();
    }
    const std::uint32_t id = free_.back();
    free_.pop_back();
    messages_[id] = Message{};
    return id;
  }

  std::vector<Message> messages_;
  std::vector<Details> details_;  // of each
  std::vector<std::uint32_t> free_;
  HashTable<PairKey, Channel> channels_;
};

/// From one rank to another bytes arrive in order: of the messages whose bytes may flow, the first does.
class Connections {
 public:
  /// True: no other is before it, and it flows at once.
  bool push(Messages& messages, std::uint32_t id);
  /// The message has flowed. The one that does next, or Messages::kNone.
  std::uint32_t pop(const Messages& messages, std::uint32_t id);
  void fetch_ahead(const Messages::Message& message) const { table_.fetch_ahead(key_of(message)); }

 private:
  struct Queue {
    std::uint32_t first = Messages::kNone, last = Messages::kNone;
  };
  /// Flows that share one go one after the other.
  static NumberKey key_of(const Messages::Message& message);

  HashTable<NumberKey, Queue> table_;  // those with bytes under way
};

}  // namespace tutti
