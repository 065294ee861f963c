#include "runtime/multicast/sender.hpp"

#include <algorithm>

namespace tutti::multicast {
namespace {

// A packet that others overtook is lost, unless it was sent again a moment ago, as where two receivers missed it.
constexpr auto kMoment = std::chrono::milliseconds(1);
// One that nothing overtook may be on its way for some rounds yet, in which reports come, and for so long at least. Who
// hears nothing new asks for answers, less and less often.
constexpr int kRounds = 4;
constexpr auto kPatience = std::chrono::milliseconds(20), kLongestPatience = std::chrono::milliseconds(1000);

}  // namespace

Sender::Sender(std::uint64_t job, Rank self, int ranks, std::size_t payload, Transmit transmit)
    : job_(job),
      self_(self),
      payload_(payload),
      transmit_(std::move(transmit)),
      had_(static_cast<std::size_t>(ranks), 0),
      patience_(kPatience) {
  had_[self] = ~Sequence{0};
  least_had_ = *std::min_element(had_.begin(), had_.end());
}

void Sender::post(const Envelope& envelope, const std::byte* bytes, Ticket ticket) {
  const Sequence first = end_;
  end_ += packets_of(envelope.bytes, payload_);
  messages_.push_back({envelope, bytes, ticket, first, end_});
}

Sender::Clock::duration Sender::loss_after() const {
  return std::clamp<Clock::duration>(kRounds * round_, kPatience, kLongestPatience);
}

bool Sender::heard(Rank from, const Report& report, Clock::time_point now) {
  Sequence& had = had_[from];
  if (from == self_ || report.next < had || report.next > next_) return false;  // overtaken by a later one, or nonsense
  const bool is_new = report.next > had;
  had = report.next;
  // Of what was sent again one does not know which one came. Rises are taken at once.
  if (report.latest < next_ && next_ - report.latest <= kWindow)
    if (const Sent& latest = sent_[report.latest % kWindow]; !latest.again)
      round_ = std::max(now - latest.last, round_ - round_ / 8);
  if (const Sequence least = *std::min_element(had_.begin(), had_.end()); least > least_had_) {
    least_had_ = least;
    asked_ = now;
    patience_ = loss_after();
  }
  for (Sequence sequence = report.next; sequence < next_; ++sequence) {
    const std::uint64_t from_here_on = report.beyond >> (sequence - report.next);
    if (from_here_on & 1) continue;
    Sent& sent = sent_[sequence % kWindow];
    const auto age = now - sent.last;
    if (from_here_on ? !sent.again || age >= kMoment : age >= loss_after()) sent.missing = true;
  }
  return is_new;
}

bool Sender::transmit(Sequence sequence, bool answer, Clock::time_point now) {
  const Message& message = messages_.front();
  const std::uint64_t offset = (sequence - message.first) * payload_;
  const std::size_t bytes = std::min<std::uint64_t>(payload_, message.envelope.bytes - offset);
  const Header header{job_, self_, answer, message.envelope, sequence, message.first};
  if (!transmit_(header, message.bytes + offset, bytes)) return false;
  sent_[sequence % kWindow] = {now, sequence < next_, false};
  return true;
}

bool Sender::progress(Clock::time_point now, const std::function<void(Ticket)>& complete) {
  bool moved = false;
  while (!messages_.empty()) {
    const Message& message = messages_.front();
    if (next_ == message.first) asked_ = now;
    // All that is under way is of this message: the one before it is complete.
    for (Sequence sequence = least_had_; sequence < next_; ++sequence)
      if (sent_[sequence % kWindow].missing && !transmit(sequence, false, now)) return moved;
    for (; next_ < message.end && next_ - std::min(least_had_, next_) < kWindow; ++next_) {
      if (!transmit(next_, false, now)) return moved;
      moved = true;
    }
    if (least_had_ >= message.end) {
      const Ticket ticket = message.ticket;
      messages_.pop_front();
      complete(ticket);
      moved = true;
      continue;
    }
    if (now - asked_ >= patience_) {
      if (!transmit(least_had_, true, now)) return moved;
      asked_ = now;
      patience_ = std::min<Clock::duration>(2 * patience_, kLongestPatience);
    }
    return moved;
  }
  return moved;
}

std::string Sender::pending() const {
  if (idle()) return "";
  const Message& message = messages_.front();
  std::string text = "multicast of " + std::to_string(message.envelope.bytes) + " bytes";
  if (next_ <= message.first) return text + " not begun";
  text += ": packet " + std::to_string(least_had_ - message.first + 1) + " of " +
          std::to_string(message.end - message.first) + " not reported by";
  constexpr int kMostNamed = 8;
  int named = 0;
  for (std::size_t rank = 0; rank < had_.size(); ++rank) {
    if (had_[rank] != least_had_) continue;
    if (++named > kMostNamed) return text + " and others";
    text += (named == 1 ? " rank " : ", ") + std::to_string(rank);
  }
  return text;
}

}  // namespace tutti::multicast
