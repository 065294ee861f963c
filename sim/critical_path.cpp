#include <algorithm>
#include <map>

#include "sim/engine.hpp"

namespace tutti {
namespace {

/// What the event spent between two instants, last first.
void add_parts(std::size_t id, const TraceEvent& event, double from, double until, std::vector<PathPart>& parts) {
  double end = until;
  // A send may be over only when the receiver's word for that is back.
  const double told = event.spent.empty() ? from : event.spent.back().until_seconds;
  if (told < end) {
    const double begin = std::max(told, from);
    parts.push_back({id, {Spent::On::latency, -1, end}, begin});
    end = begin;
  }
  for (std::size_t i = event.spent.size(); i-- > 0 && end > from;) {
    const double begin = std::max(from, i > 0 ? event.spent[i - 1].until_seconds : event.posted_seconds);
    if (begin >= end) continue;
    parts.push_back({id, {event.spent[i].on, event.spent[i].which, end}, begin});
    end = begin;
  }
}

/// The event that ends last of all, and until when it goes on.
std::pair<std::int64_t, double> last_of_all(const std::vector<TraceEvent>& trace, const TimedStay& stay) {
  const auto later = [](const TraceEvent& a, const TraceEvent& b) { return a.ended_seconds < b.ended_seconds; };
  const auto last = std::max_element(trace.begin(), trace.end(), later);
  if (stay.end_seconds > last->ended_seconds) {
    const auto is_other = [&](const TraceEvent& event) {
      return event.kind != TraceEvent::Kind::message || event.rank != stay.rank;
    };
    const auto earlier_of_rank = [&](const TraceEvent& a, const TraceEvent& b) {
      return is_other(a) != is_other(b) ? is_other(a) : later(a, b);
    };
    const auto sent = std::max_element(trace.begin(), trace.end(), earlier_of_rank);
    if (!is_other(*sent)) return {sent - trace.begin(), stay.end_seconds};
  }
  return {last - trace.begin(), last->ended_seconds};
}

}  // namespace

void find_critical_path(Result& result, const TimedStay& stay) {
  if (result.trace.empty()) return;
  auto [next, until] = stay.last_event == TraceEvent::kNone ? last_of_all(result.trace, stay)
                                                            : std::pair(stay.last_event, stay.end_seconds);
  std::vector<bool> passed(result.trace.size(), false);  // what takes no time might let itself go on
  while (next != TraceEvent::kNone && !passed[next] && (until > stay.begin_seconds || stay.begin_seconds == 0)) {
    const auto id = static_cast<std::size_t>(next);
    const TraceEvent& event = result.trace[id];
    passed[id] = true;
    result.critical_path.push_back(id);
    // Its end waited for the receiver, or the rank went on as soon as it was sent.
    const bool by_receiver = event.wanted_seconds >= 0 && until > event.wanted_seconds;
    const double from = by_receiver ? event.wanted_seconds : event.posted_seconds;
    add_parts(id, event, std::max(from, stay.begin_seconds), until, result.path_parts);
    next = by_receiver ? event.after : event.sent_after;
    until = from;
  }
  std::reverse(result.critical_path.begin(), result.critical_path.end());
  std::reverse(result.path_parts.begin(), result.path_parts.end());
}

std::vector<Bound> bounds_of(const Result& result) {
  std::map<std::pair<Spent::On, int>, double> seconds;
  for (const PathPart& part : result.path_parts)
    seconds[{part.spent.on, part.spent.which}] += part.spent.until_seconds - part.begin_seconds;
  std::vector<Bound> bounds;
  bounds.reserve(seconds.size());
  for (const auto& [what, time] : seconds) bounds.push_back({what.first, what.second, time});
  std::stable_sort(bounds.begin(), bounds.end(), [](const Bound& a, const Bound& b) { return a.seconds > b.seconds; });
  return bounds;
}

std::string kind_of(Spent::On on, int which, const Network& network) {
  switch (on) {
    case Spent::On::processor:
      return "processor";
    case Spent::On::gap:
      return "gap";
    case Spent::On::latency:
      return "latency";
    case Spent::On::connection:
      return "connection";
    case Spent::On::rate:
      return "rate";
    case Spent::On::link:
      return network.links()[which].level.label();
    case Spent::On::links:
      return "links";
    case Spent::On::receiver:
      return "receiver";
    case Spent::On::retransmission:
      break;
  }
  return "retransmission";
}

std::string place_of(Spent::On on, int which, const Network& network) {
  if (which < 0) return "";
  if (on == Spent::On::link) return network.name_of(static_cast<LinkId>(which));
  return "rank " + std::to_string(which);
}

}  // namespace tutti
