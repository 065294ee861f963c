// What a simulation tells of itself: the record of its events, what is pending where it is stuck, its times.
#include <algorithm>
#include <cmath>

#include "sim/simulation.hpp"
#include "sim/time_grid.hpp"

namespace tutti {

std::int64_t Simulation::record(TraceEvent::Kind kind, Rank rank, Rank peer, std::int64_t bytes) {
  if (!experiment_.record) return TraceEvent::kNone;
  TraceEvent event;
  event.kind = kind;
  event.rank = rank;
  event.peer = peer;
  event.bytes = bytes;
  event.posted_seconds = now();
  event.after = event.sent_after = last_event_[static_cast<std::size_t>(rank)];
  result_.trace.push_back(event);
  return static_cast<std::int64_t>(result_.trace.size()) - 1;
}

/// What has been going on with the event since it was last said.
void Simulation::spend(std::int64_t event, Spent::On on, int which, double until_seconds) {
  if (event == TraceEvent::kNone) return;
  TraceEvent& e = result_.trace[static_cast<std::size_t>(event)];
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

/// A flow is over; whatever no link of several flows held back was as fast as the narrowest one, or as its own rate.
void Simulation::note_holders(std::uint32_t flow) {
  const bool is_local = flow & kLocalFlow;
  const auto rank = static_cast<Rank>(flow & ~kLocalFlow);
  const Work* const work = is_local ? &processors_[static_cast<std::size_t>(rank)].front : nullptr;
  const std::int64_t event = is_local ? event_of(*work) : event_of_message(flow);
  if (event == TraceEvent::kNone) return;
  const Path& path = is_local ? paths_.between(rank, rank) : paths_.between(messages_[flow].from, messages_[flow].to);
  const double own = is_local           ? 1 / work->seconds_per_byte
                     : path.by_adapters ? INFINITY
                                        : messages_[flow].segment->bandwidth_bytes_per_second;
  const auto& spent = result_.trace[static_cast<std::size_t>(event)].spent;
  const auto holders = network_.holders();
  if (holders.empty()) return spend(event, Spent::On::links, -1, network_.now_seconds() - origin_seconds_);
  double total = 0;
  for (const FlowNetwork::Holder& holder : holders) total += holder.seconds;
  double until = network_.now_seconds() - origin_seconds_ - total;
  for (const FlowNetwork::Holder& holder : holders) {
    until = std::max(until + holder.seconds, spent.empty() ? 0 : spent.back().until_seconds);
    const auto links = paths_.links(path);
    const auto narrowest = std::find_if(links.begin(), links.end(), [&](LinkId link) {
      return machine_.network->links()[link].bandwidth_bytes_per_second == path.narrowest;
    });
    if (holder.link != FlowNetwork::Holder::kNone)
      spend(event, Spent::On::link, static_cast<int>(holder.link), until);
    else if (own > path.narrowest)
      spend(event, Spent::On::link, static_cast<int>(*narrowest), until);
    else
      spend(event, is_local ? Spent::On::processor : Spent::On::rate, is_local ? rank : -1, until);
  }
}

std::string Simulation::pending_text() const {
  std::string text;
  int listed = 0;
  channels_.each([&](const auto& entry) {
    for (std::uint32_t id = entry.value.first; id != kNoMessage && listed < 8; id = messages_[id].next, ++listed)
      text += (text.empty() ? "" : "; ") + std::string(entry.value.holds_sends ? "unreceived" : "unsent") +
              " message from rank " + std::to_string(entry.key.first >> 32) + " to rank " +
              std::to_string(entry.key.first & 0xffffffffu);
  });
  return text.empty() ? "nothing is pending" : text;
}

Result Simulation::results() {
  take_times(result_, [this](Rank rank) {
    const RankClock& clock = clocks_[static_cast<std::size_t>(rank)];
    return Stay{clock.started_seconds, clock.ended_seconds};
  });
  result_.messages = messages_of_a_call();
  const int calls = experiment_.mode.calls;
  const auto links = machine_.network->links();
  const std::vector<double>& link_bytes = paths_.carried_bytes();
  for (std::size_t i = 0; i < links.size(); ++i)
    if (link_bytes[i] > 0) result_.bytes_per_level[links[i].level] += link_bytes[i] * symmetry_.ranks.blocks / calls;
  if (std::vector<double> each = result_.seconds_per_call; !each.empty()) {
    std::sort(each.begin(), each.end());
    result_.makespan_seconds = (each[(each.size() - 1) / 2] + each[each.size() / 2]) / 2;
  }
  if (data_) result_.fault = data_->fault();
  find_critical_path(result_);
  return std::move(result_);
}

}  // namespace tutti
