// What a simulation tells of itself: which links held flows back, what is pending where it is stuck, its times.
#include <algorithm>
#include <cmath>

#include "sim/simulation.hpp"
#include "sim/spread.hpp"
#include "sim/time_grid.hpp"

namespace tutti {

/// A flow is over; whatever no link of several flows held back was as fast as the narrowest one, or as its own rate.
void Simulation::note_holders(std::uint32_t flow) {
  const bool is_local = flow & kLocalFlow;
  const auto rank = static_cast<Rank>(flow & ~kLocalFlow);
  const Work* const work = is_local ? &processors_[rank].front : nullptr;
  const std::int64_t event = is_local ? event_of(*work) : record_.of_message(flow);
  if (event == TraceEvent::kNone) return;
  const Path& path = is_local ? paths_.between(rank, rank) : paths_.between(messages_[flow].from, messages_[flow].to);
  const double own = is_local           ? 1 / work->seconds_per_byte
                     : path.by_adapters ? transport_of(messages_[flow]).connection_bytes_per_second
                                        : messages_[flow].segment->bandwidth_bytes_per_second;
  const auto& spent = record_[event].spent;
  const auto holders = network_.holders();
  if (holders.empty()) return record_.spend(event, Spent::On::links, -1, network_.now_seconds() - origin_seconds_);
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
      record_.spend(event, Spent::On::link, static_cast<int>(holder.link), until);
    else if (own > path.narrowest)
      record_.spend(event, Spent::On::link, static_cast<int>(*narrowest), until);
    else
      record_.spend(event, is_local ? Spent::On::processor : Spent::On::rate, is_local ? rank : -1, until);
  }
}

std::string Simulation::pending_text() const {
  const std::string text = messages_.unmatched_text();
  return text.empty() ? "nothing is pending" : text;
}

/// What the makespan is the time of: where each rank is timed from its own exit of a barrier, the longest stay, which
/// need not end last.
TimedStay Simulation::timed_stay() const {
  const Mode::Kind kind = experiment_.mode.kind;
  const bool from_own_exit = kind == Mode::Kind::barrier || kind == Mode::Kind::loop;
  const auto of = [&](Rank rank) {
    const RankClocks::Clock& clock = clocks_[rank];
    return from_own_exit ? clock.ended_seconds - clock.started_seconds : clock.ended_seconds;
  };
  TimedStay stay;
  for (Rank rank = 1; rank < experiment_.c.ranks; ++rank)
    if (of(rank) > of(stay.rank)) stay.rank = rank;
  stay.end_seconds = clocks_[stay.rank].ended_seconds;
  if (from_own_exit) {
    stay.begin_seconds = clocks_[stay.rank].started_seconds;
    stay.last_event = record_.last_of(stay.rank);
  } else if (kind == Mode::Kind::skew) {
    for (Rank rank = 0; rank < experiment_.c.ranks; ++rank)
      stay.begin_seconds = std::max(stay.begin_seconds, clocks_[rank].started_seconds);
  }
  return stay;
}

Result Simulation::results() {
  take_times(result_, [this](Rank rank) {
    const RankClocks::Clock& clock = clocks_[rank];
    return Stay{clock.started_seconds, clock.ended_seconds};
  });
  result_.trace = record_.take();
  result_.messages = messages_of_a_call();
  const int calls = experiment_.mode.calls;
  const auto links = machine_.network->links();
  std::map<LinkLevel, double> bytes_per_level;
  for (const auto& [link, bytes] : paths_.carried_bytes())
    bytes_per_level[links[link].level] += bytes * symmetry_.ranks.blocks / calls;
  for (const auto& [level, bytes] : bytes_per_level) result_.bytes_per_level[level.label()] = bytes;
  // Of ranks that come late, what take_times() says: each rank's own time has its wait for the others in it.
  if (experiment_.mode.kind == Mode::Kind::skew && experiment_.tells_each_call())
    result_.seconds_per_call.assign(1, result_.makespan_seconds);
  if (!result_.seconds_per_call.empty()) result_.makespan_seconds = median_of(result_.seconds_per_call);
  if (data_) result_.fault = data_->fault();
  if (experiment_.record) find_critical_path(result_, timed_stay());
  return std::move(result_);
}

}  // namespace tutti
