#include "sim/messages.hpp"

#include <algorithm>

#include "sim/message_cost.hpp"

namespace tutti {
namespace {

constexpr std::uint64_t kBothDirections = std::uint64_t{1} << 63;

}  // namespace

std::string Messages::unmatched_text() const {
  std::string text;
  int listed = 0;
  channels_.each([&](const auto& entry) {
    for (std::uint32_t id = entry.value.first; id != kNone && listed < 8; id = messages_[id].next, ++listed)
      text += (text.empty() ? "" : "; ") + std::string(entry.value.holds_sends ? "unreceived" : "unsent") +
              " message from rank " + std::to_string(entry.key.first >> 32) + " to rank " +
              std::to_string(entry.key.first & 0xffffffffu);
  });
  return text;
}

NumberKey Connections::key_of(const Messages::Message& message) {
  if (!message.takes_turns) return {pair_number(message.from, message.to)};
  return {pair_number(std::min(message.from, message.to), std::max(message.from, message.to)) | kBothDirections};
}

bool Connections::push(Messages& messages, std::uint32_t id) {
  messages[id].next_to_flow = Messages::kNone;
  Queue& queue = table_.at(key_of(messages[id])).value;
  const bool idle = queue.first == Messages::kNone;
  (idle ? queue.first : messages[queue.last].next_to_flow) = id;
  queue.last = id;
  return idle;
}

std::uint32_t Connections::pop(const Messages& messages, std::uint32_t id) {
  auto& entry = table_.at(key_of(messages[id]));
  const std::uint32_t next = messages[id].next_to_flow;
  if (next == Messages::kNone)
    table_.erase(entry);
  else
    entry.value.first = next;
  return next;
}

}  // namespace tutti
