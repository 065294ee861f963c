#include "sim/fast/contention_free.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "sim/interruption.hpp"
#include "sim/time_grid.hpp"

namespace tutti::fast {

bool is_contention_free(const Machine& machine) {
  for (const auto& transport : machine.transports)
    if (transport && (transport->retransmitted_share > 0 || transport->makes_connections_anew() ||
                      std::isfinite(transport->connection_bytes_per_second)))
      return false;
  const auto links = machine.network->links();
  return std::none_of(links.begin(), links.end(), [](const Link& link) { return link.shared; });
}

ContentionFreeSimulation::ContentionFreeSimulation(const Machine& machine, const Experiment& experiment,
                                                   const BlockMoves& symmetry)
    : SimulatedCalls(machine, experiment, {symmetry, {}}),
      ranks_(static_cast<std::size_t>(simulated_ranks())),
      queue_(ranks_.size()) {
  if (experiment.record) throw std::logic_error("ContentionFreeSimulation: keeps no record");
  if (experiment.mode.kind == Mode::Kind::barrier || experiment.mode.kind == Mode::Kind::skew)
    started_seconds_.resize(ranks_.size());
  number_levels();
  // Pages that are never touched are not there.
  operations_.reserve(8 * ranks_.size());
  sleepers_.reserve(2 * ranks_.size());
  halves_.reserve(kMostAhead * ranks_.size());
  quickest_seconds_.fill(kNever);
  for (std::size_t distance = 0; distance < transports_.size(); ++distance) {
    if (!machine.transports[distance]) continue;
    const Transport& transport = *(transports_[distance] = &*machine.transports[distance]);
    // A receive that is posted may end a send: the data that it sets out come before the sender knows.
    const double waited_for = transport.eager_limit_bytes == std::numeric_limits<std::int64_t>::max()
                                  ? kNever
                                  : transport.clearance_seconds(0) + transport.send_end_seconds(0, false, 0);
    for (const Segment& segment : transport.segments)
      quickest_seconds_[distance] = std::min(
          quickest_seconds_[distance], std::min(transport.send_overhead_seconds, waited_for) + segment.latency_seconds);
  }
  double cable = kNever;
  for (const Nic& nic : machine.network->node_shape().nics) cable = std::min(cable, nic.cable.latency_seconds);
  if (machine.network->nodes() > 1) quickest_seconds_[static_cast<std::size_t>(Distance::network)] += 2 * cable;
}

std::optional<Result> ContentionFreeSimulation::run() {
  const std::vector<double> late_seconds = arrivals_seconds();
  for (std::size_t r = 0; r < ranks_.size(); ++r) ranks_[r].now_seconds = on_grid(late_seconds[r]);
  const auto ranks = static_cast<Rank>(ranks_.size());
  for (Rank r = 0; r < ranks; ++r) wake(r);
  do {
    while (queued_ > 0 && !irregular_) {
      const Rank r = queue_[first_queued_];
      if (++first_queued_ == queue_.size()) first_queued_ = 0;
      --queued_;
      state_of(r).queued = false;
      advance(r);
      constexpr std::uint64_t kBetweenLooks = 4096;
      if (++advanced_ % kBetweenLooks == 0 && interrupted()) irregular_ = true;  // the event loop says so
    }
  } while (!irregular_ && go_on_with_the_earliest());
  if (late_) throw std::logic_error("ContentionFreeSimulation: a message came to a rank that had gone on without it");
  if (irregular_ || ranks_over_ < ranks) {
    irregular_ = true;  // calls that end now do so before their end
    for (RankState& rank : ranks_) rank.task = Task();
    return std::nullopt;
  }
  return results();
}

void ContentionFreeSimulation::wake(Rank r) {
  RankState& rank = state_of(r);
  if (rank.queued) return;
  rank.queued = true;
  std::size_t last = first_queued_ + queued_++;
  if (last >= queue_.size()) last -= queue_.size();
  queue_[last] = r;
}

/// Lets the rank act until it must wait for others, or is far enough ahead of them.
void ContentionFreeSimulation::advance(Rank r) {
  RankState& rank = state_of(r);
  while (!irregular_) {
    if (rank.ahead) {
      rank.ahead = false;
      return wake(r);
    }
    if (!settle(rank)) return block(r, rank.now_seconds);
    if (!rank.task) {
      if (rank.calls_over == experiment_.mode.calls) return;
      begin_call(r);
      continue;
    }
    const std::uint32_t first = first_to_resume(rank);
    const double due = first == kNone ? kNever : std::max(rank.now_seconds, sleepers_[first].until_seconds);
    const double next = std::min(rank.arrival.seconds, due);
    if (next == kNever) return;
    if (!is_certain(rank, next)) return block(r, next);
    if (rank.arrival.seconds <= due)
      take_arrival(rank);
    else
      resume(r, first);
  }
}

/// Of its sleepers that wait for nothing but time.
std::uint32_t ContentionFreeSimulation::first_to_resume(const RankState& rank) const {
  std::uint32_t first = kNone;
  for (std::uint32_t s = rank.first_sleeper; s != kNone; s = sleepers_[s].next)
    if (sleepers_[s].pending == 0 && (first == kNone || sleepers_[s].until_seconds <= sleepers_[first].until_seconds))
      first = s;
  return first;
}

void ContentionFreeSimulation::begin_call(Rank r) {
  RankState& rank = state_of(r);
  if (!std::exchange(rank.begun, true)) {
    start_timing(r);
    if (has_barrier_before(0)) rank.calls_over = -1;
  }
  rank.calls_made = 0;
  rank.task = SimulatedCalls::begin_call(Comm(*this, r, experiment_.c.ranks), rank.calls_over < 0);
  end_call(r);
}

void ContentionFreeSimulation::resume(Rank r, std::uint32_t index) {
  RankState& rank = state_of(r);
  std::uint32_t* place = &rank.first_sleeper;
  while (*place != index) place = &sleepers_[*place].next;
  const Sleeper sleeper = sleepers_[index];
  *place = sleeper.next;
  sleepers_.give_back(index);
  move_clock(rank, std::max(rank.now_seconds, sleeper.until_seconds));
  if (!sleeper.has_returned) {
    running_ = sleeper.scope;
    sleeper.scope->waiter.handle.resume();
  } else if (!sleeper.scope->parent) {
    sleeper.scope->outstanding = 0;
    rank.call_over = true;
  } else if (const Waiter* waiter = sleeper.scope->completed_one()) {
    running_ = sleeper.scope->parent;
    waiter->handle.resume();
  }
  end_call(r);
}

/// If the call that the rank was in is over.
void ContentionFreeSimulation::end_call(Rank r) {
  RankState& rank = state_of(r);
  running_ = nullptr;
  irregular_ |= rank.task.failed();
  if (!rank.call_over || irregular_) return;
  rank.call_over = false;
  rank.task = Task();
  SimulatedCalls::end_call(r);
  if (++rank.calls_over == 0) start_timing(r);
  if (rank.calls_over == experiment_.mode.calls) ++ranks_over_;
}

void ContentionFreeSimulation::block(Rank r, double seconds) {
  RankState& rank = state_of(r);
  if (rank.blocked_seconds <= seconds) return;  // it is looked at again early enough
  rank.blocked_seconds = seconds;
  blocked_.emplace(seconds, r);
}

/// Whether none of the rank's open operations can end before that.
bool ContentionFreeSimulation::no_arrival_before(const RankState& rank, double seconds) {
  constexpr std::uint32_t kWorthwhile = 4;
  if (rank.open > kWorthwhile || rank.channels_elsewhere > 0) return false;
  std::uint32_t receives = 0;
  for (const Channel& channel : rank.channels) {
    if (channel.from < 0 || channel.holds_messages) continue;
    for (std::uint32_t half = channel.first; half != kNone; half = halves_[half].next, ++receives)
      if (!arrives_no_earlier(operations_[halves_[half].what], seconds)) return false;
  }
  return receives == rank.open;
}

/// Whether the message of a receive cannot be there before that: its sender has not sent it yet.
bool ContentionFreeSimulation::arrives_no_earlier(const Operation& receive, double seconds) {
  if (seconds <= horizon_seconds_) return true;
  constexpr double kRounding = 2e-13;
  const auto [from, to] = symmetry_.as_sent(receive.peer, receive.rank());
  const RankState& sender = state_of(from);
  double earliest = std::max({sender.now_seconds, sender.free_seconds, sender.gap_over_seconds});
  const Transport* const same = sender.way.to == to && sender.way.bytes == receive.bytes
                                    ? transports_[static_cast<std::size_t>(sender.way.distance)]
                                    : nullptr;
  if (same && same->blocking_eager_limit_bytes == 0) {  // else the next one may be sent in another way
    earliest += same->send_seconds(receive.bytes, false);
    if (!sender.way.eager) earliest += same->announcement_seconds(sender.way.links_seconds);
    earliest += sender.way.delay_seconds;
    if (receive.bytes > 0) earliest = std::max(earliest, sender.connection.busy_until_seconds);
    earliest += sender.way.flow_seconds;
  } else {
    const auto& core = experiment_.core_of_rank;
    const Distance distance = machine_.network->distance(core[from], core[to]);
    earliest += quickest_seconds_[static_cast<std::size_t>(distance)];
  }
  return seconds <= earliest + kRounding;  // at the same instant: either order
}

bool ContentionFreeSimulation::go_on_with_the_earliest() {
  constexpr double kRounding = 1e-12;
  const double quickest = *std::min_element(quickest_seconds_.begin() + 1, quickest_seconds_.end());
  bool any = false;
  for (; !blocked_.empty(); blocked_.pop()) {
    const auto [seconds, r] = blocked_.top();
    if (seconds != state_of(r).blocked_seconds) continue;  // it was blocked earlier later on
    if (!any) horizon_seconds_ = std::max(horizon_seconds_, seconds + std::max(0.0, quickest - kRounding));
    if (seconds > horizon_seconds_) break;
    any = true;
    state_of(r).blocked_seconds = kNever;
    wake(r);
  }
  return any;
}

Result ContentionFreeSimulation::results() {
  const int calls = experiment_.mode.calls;
  Result result;
  take_times(result, [this](Rank r) {
    return Stay{started_seconds_.empty() ? 0 : started_seconds_[r], state_of(r).now_seconds};
  });
  result.messages = messages_of_a_call();
  for (std::size_t r = 0; r < ranks_.size(); ++r) count_repeats(static_cast<Rank>(r), ranks_[r].way);
  for (std::size_t i = 0; i < levels_.size(); ++i)
    if (level_bytes_[i] > 0)
      result.bytes_per_level[levels_[i].label()] = level_bytes_[i] * symmetry_.ranks.blocks / calls;
  if (data_) result.fault = data_->fault();
  return result;
}

}  // namespace tutti::fast
