#pragma once

#include <vector>

#include "sim/engine.hpp"

namespace tutti {

/// What happens in a simulation, where somebody wants to know (Experiment::record); else all of it does nothing, and
/// every event is TraceEvent::kNone. Seconds are since the simulation's origin.
class EventRecord {
 public:
  EventRecord(bool wanted, std::size_t ranks)
      : wanted_(wanted), last_(wanted ? ranks : 0, TraceEvent::kNone), joined_(wanted ? ranks : 0) {}
  explicit operator bool() const { return wanted_; }

  /// A message or local work is posted by what the rank does after its last event.
  std::int64_t post(TraceEvent::Kind kind, Rank rank, Rank peer, std::int64_t bytes, double seconds);
  TraceEvent& operator[](std::int64_t event) { return events_[event]; }
  /// What has been going on with the event since it was last said.
  void spend(std::int64_t event, Spent::On on, int which, double until_seconds);
  void end(std::int64_t event, double seconds) {
    if (event != TraceEvent::kNone) (*this)[event].ended_seconds = seconds;
  }

  /// Local work that ends together with the next of the rank that ends, and goes through the same.
  void join(Rank rank, std::int64_t event) {
    if (event != TraceEvent::kNone) joined_[rank].push_back(event);
  }
  void end_joined(Rank rank, std::int64_t ended);

  // Which event a message, an operation is; what let a rank go on.
  std::int64_t of_message(std::uint32_t id) const { return wanted_ ? at(of_message_, id) : TraceEvent::kNone; }
  std::int64_t of_operation(std::uint32_t slot) const { return wanted_ ? at(of_operation_, slot) : TraceEvent::kNone; }
  void set_message(std::uint32_t id, std::int64_t event) {
    if (wanted_) set(of_message_, id, event);
  }
  void set_operation(std::uint32_t slot, std::int64_t event) {
    if (wanted_) set(of_operation_, slot, event);
  }
  void let_go_on(Rank rank, std::int64_t event) {
    if (wanted_) last_[rank] = event;
  }
  /// The rank has waited for several: the one that ended last let it go on.
  void let_go_on_if_later(Rank rank, std::int64_t event);
  std::int64_t last_of(Rank rank) const { return wanted_ ? last_[rank] : TraceEvent::kNone; }
  std::vector<TraceEvent> take() { return std::move(events_); }

 private:
  static std::int64_t at(const std::vector<std::int64_t>& events, std::uint32_t i) {
    return i < events.size() ? events[i] : TraceEvent::kNone;
  }
  static void set(std::vector<std::int64_t>& events, std::uint32_t i, std::int64_t event) {
    if (events.size() <= i) events.resize(std::size_t{i} + 1, TraceEvent::kNone);
    events[i] = event;
  }

  const bool wanted_;
  std::vector<TraceEvent> events_;
  std::vector<std::int64_t> of_message_, of_operation_, last_;  // last: of each rank
  std::vector<std::vector<std::int64_t>> joined_;               // by rank
};

}  // namespace tutti
