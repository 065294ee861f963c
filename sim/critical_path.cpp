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

}  // namespace

void find_critical_path(Result& result, Rank last_rank, double end_seconds) {
  if (result.trace.empty()) return;
  const auto later = [](const TraceEvent& a, const TraceEvent& b) { return a.ended_seconds < b.ended_seconds; };
  auto last = std::max_element(result.trace.begin(), result.trace.end(), later);
  double until = last->ended_seconds;
  if (end_seconds > until) {
    const auto is_other = [&](const TraceEvent& event) {
      return event.kind != TraceEvent::Kind::message || event.rank != last_rank;
    };
    const auto earlier_of_rank = [&](const TraceEvent& a, const TraceEvent& b) {
      return is_other(a) != is_other(b) ? is_other(a) : later(a, b);
    };
    const auto sent = std::max_element(result.trace.begin(), result.trace.end(), earlier_of_rank);
    if (!is_other(*sent)) last = sent, until = end_seconds;
  }
  std::int64_t next = last - result.trace.begin();
  std::vector<bool> passed(result.trace.size(), false);  // what takes no time might let itself go on
  while (next != TraceEvent::kNone && !passed[next]) {
    const auto id = static_cast<std::size_t>(next);
    const TraceEvent& event = result.trace[id];
    passed[id] = true;
    result.critical_path.push_back(id);
    // Its end waited for the receiver, or the rank went on as soon as it was sent.
    const bool by_receiver = event.wanted_seconds >= 0 && until > event.wanted_seconds;
    const double from = by_receiver ? event.wanted_seconds : event.posted_seconds;
    add_parts(id, event, from, until, result.path_parts);
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
      break;
  }
  return "receiver";
}

std::string place_of(Spent::On on, int which, const Network& network) {
  if (which < 0) return "";
  if (on == Spent::On::link) return network.name_of(static_cast<LinkId>(which));
  return "rank " + std::to_string(which);
}

}  // namespace tutti
