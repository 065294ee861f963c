#include "sim/event_record.hpp"

namespace tutti {

std::int64_t EventRecord::post(TraceEvent::Kind kind, Rank rank, Rank peer, std::int64_t bytes, double seconds) {
  if (!wanted_) return TraceEvent::kNone;
  TraceEvent event;
  event.kind = kind;
  event.rank = rank;
  event.peer = peer;
  event.bytes = bytes;
  event.posted_seconds = seconds;
  event.after = event.sent_after = last_of(rank);
  events_.push_back(event);
  return static_cast<std::int64_t>(events_.size()) - 1;
}

void EventRecord::spend(std::int64_t event, Spent::On on, int which, double until_seconds) {
  if (event == TraceEvent::kNone) return;
  TraceEvent& e = (*this)[event];
  constexpr double kRounding = 2e-13;
  const double begin = e.spent.empty() ? e.posted_seconds : e.spent.back().until_seconds;
  if (until_seconds <= begin) return;
  const bool goes_on = !e.spent.empty() && ((e.spent.back().on == on && e.spent.back().which == which) ||
                                            until_seconds < begin + kRounding);
  if (goes_on)
    e.spent.back().until_seconds = until_seconds;
  else
    e.spent.push_back({on, which, until_seconds});
}

void EventRecord::end_joined(Rank rank, std::int64_t ended) {
  if (ended == TraceEvent::kNone) return;
  for (const std::int64_t event : joined_[rank]) {
    (*this)[event].spent = (*this)[ended].spent;
    (*this)[event].ended_seconds = (*this)[ended].ended_seconds;
  }
  joined_[rank].clear();
}

void EventRecord::let_go_on_if_later(Rank rank, std::int64_t event) {
  if (event == TraceEvent::kNone) return;
  std::int64_t& last = last_[rank];
  if (last == TraceEvent::kNone || (*this)[event].ended_seconds >= (*this)[last].ended_seconds) last = event;
}

}  // namespace tutti
