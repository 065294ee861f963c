#include "sim/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "sim/clock.hpp"
#include "sim/rank_groups.hpp"

namespace tutti {
namespace {

std::uint32_t group_id(const CallScope& scope) { return scope.group ? scope.group->id : 0; }

}  // namespace

Simulation::Simulation(const Machine& machine, const Experiment& experiment, FlowNetwork& network)
    : machine_(machine),
      experiment_(experiment),
      network_(network),
      choice_(resolve(experiment.choice, experiment.c)),
      barrier_choice_(default_choice(find_algorithm(Collective::barrier, "bruck"))),
      barrier_case_{Collective::barrier, experiment.c.ranks, 0, 1, 0, false, Operator::sum},
      origin_seconds_(network.now_seconds()),
      groups_(groups_of(*machine.network, experiment.core_of_rank)) {
  const auto ranks = static_cast<std::size_t>(experiment.c.ranks);
  if (experiment.core_of_rank.size() != ranks) throw std::logic_error("Simulation: a core for every rank is needed");
  processors_.resize(ranks);
  temporaries_.resize(ranks);
  clocks_.resize(ranks);
  calls_.resize(ranks);
  first_op_.assign(ranks, kNoOp);
  buffers_.assign(ranks, View::kFirstScratch);
  last_event_.assign(ranks, TraceEvent::kNone);
  link_bytes_.assign(machine.network->links().size(), 0.0);
}

Simulation::~Simulation() = default;

Task Simulation::drive(Comm comm, Simulation* simulation, Rank rank) {
  Simulation& s = *simulation;
  try {
    RankClock& clock = s.clocks_[static_cast<std::size_t>(rank)];
    clock.arrived_seconds = s.now();
    if (s.experiment_.mode.kind == Mode::Kind::barrier)
      co_await s.barrier_choice_.algorithm->function()(comm, make_call(s.barrier_case_, s.barrier_choice_, rank));
    clock.started_seconds = s.now();
    for (int call = 0; call < s.experiment_.mode.calls; ++call) {
      s.temporaries_[static_cast<std::size_t>(rank)] = {};
      s.calls_[static_cast<std::size_t>(rank)].clear();
      clock.first_call_number = static_cast<std::uint32_t>(call + 1) << 12;
      co_await s.choice_.algorithm->function()(comm, make_call(s.experiment_.c, s.choice_, rank));
    }
    clock.ended_seconds = s.now();
  } catch (...) {
    std::rethrow_exception(s.named(std::current_exception(), rank));
  }
}

/// What an algorithm threw, with its name and the rank.
std::exception_ptr Simulation::named(const std::exception_ptr& exception, Rank rank) const {
  try {
    std::rethrow_exception(exception);
  } catch (const ExperimentRefused&) {
    return exception;
  } catch (const std::exception& error) {
    return std::make_exception_ptr(
        std::runtime_error(choice_.algorithm->full_name() + " on rank " + std::to_string(rank) + ": " + error.what()));
  }
}

/// Tiny segments of a huge message would fill the memory, hours before the end.
void Simulation::refuse_too_many_messages() const {
  constexpr double kMost = 1 << 26;
  const Quantity& declared = choice_.algorithm->messages();
  if (declared.text().empty()) return;  // not a registered algorithm
  if (declared(Facts(experiment_.c, choice_.parameters)) * experiment_.mode.calls > kMost)
    throw ExperimentRefused(choice_.algorithm->full_name() + " on " + std::to_string(experiment_.c.ranks) +
                            " ranks of " + std::to_string(total_bytes(experiment_.c)) +
                            " bytes sends more than 2^26 messages, which takes too long");
}

Result Simulation::run() {
  refuse_too_many_messages();
  std::mt19937_64 random(experiment_.seed);
  std::normal_distribution<double> skew(0, 1);
  const auto ranks = static_cast<std::uint32_t>(experiment_.c.ranks);
  tasks_.reserve(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const double late =
        experiment_.mode.kind == Mode::Kind::skew ? std::abs(skew(random)) * experiment_.mode.sigma_seconds : 0;
    plan(late, Event::Kind::start_rank, r);
  }
  network_.wake_at(origin_seconds_ + events_.top().seconds);
  network_.run(*this);
  for (const Task& task : tasks_) task.rethrow();
  std::string wrong;
  if (abandoned_)
    wrong = "gives up a call before its end";
  else if (tasks_.size() < ranks || !std::all_of(tasks_.begin(), tasks_.end(), [](const Task& t) { return t.over(); }))
    wrong = "got stuck: " + pending_text();
  if (!wrong.empty()) {
    tasks_.clear();  // the calls that this ends say what they threw
    if (unheard_) std::rethrow_exception(unheard_);
    throw std::runtime_error(choice_.algorithm->full_name() + " " + wrong);
  }
  return results();
}

// --- the event loop
// ---------------------------------------------------------------------------------------------------

void Simulation::plan(double seconds, Event::Kind kind, std::uint32_t id) {
  events_.push({on_grid(seconds), planned_++, kind, id});
}

/// All that ends at one instant is known before any of it is acted upon: what an engine tells first must not matter.
void Simulation::flow_finished(std::uint32_t flow) {
  --flows_;
  const double network_now = network_.now_seconds();
  events_.push({std::max(now_, on_grid(network_now - origin_seconds_)), flow,
                flow & kLocalFlow ? Event::Kind::work_over : Event::Kind::flow_over, flow & ~kLocalFlow});
  network_.wake_at(network_now);
}

/// What is due: also what a clock that has been running for long tells too early by rounding.
void Simulation::wake() {
  const double network_now = network_.now_seconds();
  const double until = on_grid(network_now - origin_seconds_) + 4e-16 * network_now;
  for (;;) {
    for (std::size_t i = 0; i < ready_.size() && !abandoned_; ++i) ready_[i].resume();
    ready_.clear();
    if (abandoned_) events_ = {};  // frames that it would resume may be gone
    if (events_.empty()) return;
    const Event event = events_.top();
    if (event.seconds > until) return network_.wake_at(origin_seconds_ + event.seconds);
    now_ = event.seconds;
    events_.pop();
    handle(event);
  }
}

void Simulation::handle(const Event& event) {
  switch (event.kind) {
    case Event::Kind::start_rank:
      tasks_.push_back(
          drive(Comm(*this, static_cast<Rank>(event.id), experiment_.c.ranks), this, static_cast<Rank>(event.id)));
      return;
    case Event::Kind::work_over:
      return run_queue(static_cast<Rank>(event.id));
    case Event::Kind::transfer:
      return transfer(event.id);
    case Event::Kind::flow_over:
      return flow_over(event.id);
  }
}

// --- operations
// -------------------------------------------------------------------------------------------------------

Simulation::Slot Simulation::open_op(CallScope& scope, std::int64_t event) {
  if (free_ops_.empty()) {
    free_ops_.push_back(static_cast<Slot>(ops_.size()));
    ops_.emplace_back();
  }
  const Slot slot = free_ops_.back();
  free_ops_.pop_back();
  OpState& op = ops_[slot];
  Slot& first = first_op_[static_cast<std::size_t>(scope.rank)];
  op.done = false;
  op.rank = scope.rank;
  op.scope = &scope;
  op.waiter = nullptr;
  op.previous = kNoOp;
  op.next = first;
  if (first != kNoOp) ops_[first].previous = slot;
  first = slot;
  op.event = event;
  ++scope.outstanding;
  return slot;
}

void Simulation::complete_op(Slot slot) {
  OpState& op = ops_[slot];
  op.done = true;
  if (!op.scope) return release({slot, op.generation});
  if (op.waiter && --op.waiter->pending == 0) {
    last_event_[static_cast<std::size_t>(op.waiter->rank)] = op.event;
    ready_.push_back(op.waiter->handle);
  }
  if (Waiter* waiter = op.scope->completed_one()) {
    last_event_[static_cast<std::size_t>(waiter->rank)] = op.event;
    ready_.push_back(waiter->handle);
  }
  if (op.waiter) release({slot, op.generation});
}

void Simulation::release(Op op) {
  OpState& state = ops_[op.slot];
  if (state.generation != op.generation) return;  // waited for before
  ++state.generation;
  (state.previous == kNoOp ? first_op_[static_cast<std::size_t>(state.rank)] : ops_[state.previous].next) = state.next;
  if (state.next != kNoOp) ops_[state.next].previous = state.previous;
  free_ops_.push_back(op.slot);
}

void Simulation::refuse_foreign(const CallScope& scope, Op op) const {
  if (op.slot >= ops_.size()) throw std::logic_error("waits for what is no operation");
  const OpState& state = ops_[op.slot];
  if (state.generation == op.generation && state.rank != scope.rank)
    throw std::logic_error("waits for an operation of another rank");
}

bool Simulation::complete(CallScope& scope, std::span<const Op> ops) {
  for (const Op op : ops) refuse_foreign(scope, op);
  for (const Op op : ops)
    if (ops_[op.slot].generation == op.generation && !ops_[op.slot].done) return false;
  for (const Op op : ops) {
    if (ops_[op.slot].generation != op.generation) continue;  // waited for before
    const std::int64_t event = ops_[op.slot].event;
    std::int64_t& last = last_event_[static_cast<std::size_t>(scope.rank)];
    if (event != TraceEvent::kNone &&
        (last == TraceEvent::kNone || result_.trace[static_cast<std::size_t>(event)].ended_seconds >=
                                          result_.trace[static_cast<std::size_t>(last)].ended_seconds))
      last = event;
    release(op);
  }
  return true;
}

void Simulation::park(CallScope&, Waiter& waiter, std::span<const Op> ops) {
  for (const Op op : ops) {
    OpState& state = ops_[op.slot];
    if (state.generation != op.generation) continue;
    if (state.done) {
      release(op);
    } else if (state.waiter != &waiter) {  // else it is named twice
      if (state.waiter) throw std::logic_error("two waits for one operation at a time");
      state.waiter = &waiter;
      ++waiter.pending;
    }
  }
}

Op Simulation::send(CallScope& scope, Rank to, const View& what, int lane) {
  const std::int64_t bytes = what.elements() * experiment_.c.element_bytes;
  const std::int64_t event = record(TraceEvent::Kind::message, scope.rank, to, bytes);
  const Slot slot = open_op(scope, event);
  const Op op{slot, ops_[slot].generation};
  const std::uint32_t id = message_for(scope, scope.rank, to, lane, true);
  Message& message = messages_[id];
  message.from = scope.rank;
  message.to = to;
  message.bytes = bytes;
  message.send_op = slot;
  message.sent = true;
  message.event = event;
  message.eager = bytes <= transport(message).eager_limit_bytes;
  if (message.wanted) ops_[message.recv_op].event = event;
  ++sends_;
  enqueue(scope.rank, {Work::Kind::inject, id, transport(message).send_seconds(bytes), 0, 0, false});
  return op;
}

Op Simulation::recv(CallScope& scope, Rank from, const View&, int lane) {
  const Slot slot = open_op(scope, TraceEvent::kNone);
  const Op op{slot, ops_[slot].generation};
  const std::uint32_t id = message_for(scope, from, scope.rank, lane, false);
  messages_[id].recv_op = slot;
  ops_[slot].event = messages_[id].event;
  message_wanted(id);
  return op;
}

std::uint32_t Simulation::new_message() {
  if (free_messages_.empty()) {
    free_messages_.push_back(static_cast<std::uint32_t>(messages_.size()));
    messages_.emplace_back();
  }
  const std::uint32_t id = free_messages_.back();
  free_messages_.pop_back();
  messages_[id] = Message{};
  return id;
}

std::uint32_t Simulation::message_for(const CallScope& scope, Rank from, Rank to, int lane, bool is_send) {
  const Rank peer = is_send ? to : from;
  if (peer < 0 || peer >= experiment_.c.ranks)
    throw std::out_of_range("names rank " + std::to_string(peer) + " of " + std::to_string(experiment_.c.ranks));
  const ChannelKey key{static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to),
                       static_cast<std::uint64_t>(group_id(scope)) << 40 ^
                           static_cast<std::uint64_t>(scope.number) << 8 ^ static_cast<std::uint64_t>(lane)};
  const auto [position, is_new] = channels_.try_emplace(key);
  Channel& channel = position->second;
  if (!is_new && channel.holds_sends != is_send) {
    const std::uint32_t id = channel.first;
    channel.first = messages_[id].next;
    if (channel.first == kNoMessage) channels_.erase(position);
    return id;
  }
  const std::uint32_t id = new_message();
  channel.holds_sends = is_send;
  (channel.first == kNoMessage ? channel.first : messages_[channel.last].next) = id;
  channel.last = id;
  return id;
}

void Simulation::enter(CallScope& scope) {
  const auto rank = static_cast<std::size_t>(scope.rank);
  scope.number = clocks_[rank].first_call_number + calls_[rank][group_id(scope)]++;
}

void Simulation::leave(CallScope& scope) {
  const bool unheard = scope.exception && !scope.heard;
  abandoned_ |= !scope.over() || unheard;
  if (unheard && !unheard_) unheard_ = named(scope.exception, scope.rank);
  for (Slot slot = first_op_[static_cast<std::size_t>(scope.rank)]; slot != kNoOp;) {
    OpState& op = ops_[slot];
    const Op gone{std::exchange(slot, op.next), op.generation};
    if (op.scope != &scope) continue;
    op.scope = nullptr;
    op.waiter = nullptr;
    if (op.done) release(gone);
  }
}

const Group* Simulation::group(Rank rank, Level level, bool leaders) { return groups_.find(rank, level, leaders); }

// --- results
// ----------------------------------------------------------------------------------------------------------

std::int64_t Simulation::record(TraceEvent::Kind kind, Rank rank, Rank peer, std::int64_t bytes) {
  if (!experiment_.record) return TraceEvent::kNone;
  TraceEvent event;
  event.kind = kind;
  event.rank = rank;
  event.peer = peer;
  event.bytes = bytes;
  event.posted_seconds = now();
  event.after = last_event_[static_cast<std::size_t>(rank)];
  result_.trace.push_back(event);
  return static_cast<std::int64_t>(result_.trace.size()) - 1;
}

std::string Simulation::pending_text() const {
  std::string text;
  int listed = 0;
  for (const auto& [key, channel] : channels_)
    for (std::uint32_t id = channel.first; id != kNoMessage && listed < 8; id = messages_[id].next, ++listed)
      text += (text.empty() ? "" : "; ") + std::string(channel.holds_sends ? "unreceived" : "unsent") +
              " message from rank " + std::to_string(key.ranks >> 32) + " to rank " +
              std::to_string(key.ranks & 0xffffffffu);
  return text.empty() ? "nothing is pending" : text;
}

Result Simulation::results() {
  // Picoseconds: what the engines resolve. Without it, equal times would differ by the clock at which they were taken.
  const auto rounded = [](double seconds) { return std::round(seconds * 1e12) / 1e12; };
  const int calls = experiment_.mode.calls;
  double last_start = 0, last_end = 0;
  for (const RankClock& clock : clocks_) {
    result_.seconds_per_rank.push_back(rounded((clock.ended_seconds - clock.started_seconds) / calls));
    result_.makespan_seconds = std::max(result_.makespan_seconds, result_.seconds_per_rank.back());
    last_start = std::max(last_start, clock.started_seconds);
    last_end = std::max(last_end, clock.ended_seconds);
  }
  if (experiment_.mode.kind == Mode::Kind::skew) result_.makespan_seconds = rounded(last_end - last_start);
  if (experiment_.mode.kind == Mode::Kind::barrier)
    sends_ -= std::llround(barrier_choice_.algorithm->messages()(Facts(barrier_case_, barrier_choice_.parameters)));
  result_.messages = sends_ / calls;
  const auto links = machine_.network->links();
  for (std::size_t i = 0; i < links.size(); ++i)
    if (link_bytes_[i] > 0) result_.bytes_per_level[links[i].level] += link_bytes_[i] / calls;
  if (result_.trace.empty()) return std::move(result_);
  const auto later = [](const TraceEvent& a, const TraceEvent& b) { return a.ended_seconds < b.ended_seconds; };
  auto event = std::max_element(result_.trace.begin(), result_.trace.end(), later) - result_.trace.begin();
  for (; event != TraceEvent::kNone; event = result_.trace[static_cast<std::size_t>(event)].after)
    result_.critical_path.push_back(static_cast<std::size_t>(event));
  std::reverse(result_.critical_path.begin(), result_.critical_path.end());
  return std::move(result_);
}

}  // namespace tutti
