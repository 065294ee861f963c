#include <algorithm>
#include <stdexcept>

#include "sim/fast/contention_free.hpp"
#include "sim/time_grid.hpp"

namespace tutti::fast {

// --- calls
// ------------------------------------------------------------------------------------------------------------

void ContentionFreeSimulation::on(CallEvent event, CallScope& scope) {
  if (event == CallEvent::begun) begin(scope);
  if (event == CallEvent::returned) finish(scope);
  if (event == CallEvent::left) leave(scope);
}

void ContentionFreeSimulation::begin(CallScope& scope) {
  if (!scope.parent) running_ = &scope;  // nothing is posted beside a call that was begun here
  RankState& rank = state_of(scope.rank);
  if (!scope.parent) {
    scope.number = static_cast<std::uint32_t>(rank.calls_over + 1);
    return;
  }
  const CallScope& maker = *scope.parent;
  const bool by_the_first = !maker.parent && !scope.group;  // most are: these need no table
  std::uint32_t& made =
      by_the_first ? rank.calls_made
                   : calls_.at({pair_number(scope.rank, static_cast<Rank>(maker.number)), group_id(scope)}).value;
  scope.number = number_within(maker.number, ++made);
}

void ContentionFreeSimulation::leave(CallScope& scope) {
  if (running_ == &scope) running_ = nullptr;
  irregular_ |= !scope.over() || scope.exception;
}

/// The coroutine has returned: without operations under way its call is over; else it sleeps until they are done.
void ContentionFreeSimulation::finish(CallScope& scope) {
  RankState& rank = state_of(scope.rank);
  if (irregular_) return;
  std::uint32_t sleeper = kNone;
  for (std::uint32_t slot = rank.first_op; slot != kNone && scope.outstanding > 0;) {
    const std::uint32_t current = slot;
    const Operation& op = operations_[current];
    slot = op.next;
    if (op.scope != &scope) continue;
    if (op.state == Operation::State::final && op.seconds <= rank.now_seconds) {
      release(current);
      continue;
    }
    if (sleeper == kNone) {
      sleeper = new_sleeper(scope, true);
      ++scope.outstanding;  // until the sleeper wakes
    }
    attach(current, sleeper);
  }
  if (sleeper == kNone && !scope.parent) rank.call_over = true;
}

// --- operations
// ------------------------------------------------------------------------------------------------------------

std::uint32_t ContentionFreeSimulation::open_op(CallScope& scope, Operation::Kind kind, Rank peer, std::int64_t bytes) {
  const std::uint32_t slot = operations_.take();
  Operation& op = operations_[slot];
  std::uint32_t& first = state_of(scope.rank).first_op;
  op.scope = &scope;
  op.sleeper = op.previous = kNone;
  op.next = first;
  op.state = Operation::State::unknown;
  op.kind = kind;
  op.peer = peer;
  op.bytes = bytes;
  op.at_end = AtEnd::nothing;
  op.packs = op.blocking = false;
  op.eager = true;
  if (first != kNone) operations_[first].previous = slot;
  first = slot;
  ++scope.outstanding;
  return slot;
}

void ContentionFreeSimulation::release(std::uint32_t slot) {
  Operation& op = operations_[slot];
  ++op.generation;
  --op.scope->outstanding;
  (op.previous == kNone ? state_of(op.rank()).first_op : operations_[op.previous].next) = op.next;
  if (op.next != kNone) operations_[op.next].previous = op.previous;
  operations_.give_back(slot);
}

/// From now on it is known when the operation is done.
void ContentionFreeSimulation::finalize(std::uint32_t slot, double seconds) {
  Operation& op = operations_[slot];
  op.state = Operation::State::final;
  op.seconds = seconds;
  if (op.sleeper == kNone) return;
  Sleeper& sleeper = sleepers_[op.sleeper];
  sleeper.until_seconds = std::max(sleeper.until_seconds, seconds);
  --sleeper.pending;
  release(slot);
}

std::uint32_t ContentionFreeSimulation::new_sleeper(CallScope& scope, bool has_returned) {
  const std::uint32_t index = sleepers_.take();
  RankState& rank = state_of(scope.rank);
  sleepers_[index] = {&scope, rank.now_seconds, 0, 0, rank.first_sleeper, has_returned};
  rank.first_sleeper = index;
  return index;
}

void ContentionFreeSimulation::attach(std::uint32_t slot, std::uint32_t index) {
  Operation& op = operations_[slot];
  Sleeper& sleeper = sleepers_[index];
  if (op.sleeper == index) return;  // named twice
  if (op.sleeper != kNone) {
    irregular_ = true;  // two waits for one operation
    return;
  }
  if (op.state == Operation::State::final) {
    sleeper.until_seconds = std::max(sleeper.until_seconds, op.seconds);
    release(slot);
    return;
  }
  op.sleeper = index;
  ++sleeper.pending;
  if (op.state == Operation::State::arriving) return;
  ++sleeper.unknown;
  if (op.kind != Operation::Kind::receive) ++state_of(op.rank()).open;
}

// --- waits
// ------------------------------------------------------------------------------------------------------------

/// The operation, or nullptr if it has been waited for.
ContentionFreeSimulation::Operation* ContentionFreeSimulation::waited_for(const CallScope& scope, Op op) {
  if (slot_of(op) >= operations_.size()) throw std::logic_error("waits for what is no operation");
  Operation& operation = operations_[slot_of(op)];
  if (operation.generation != generation_of(op)) return nullptr;
  if (operation.rank() != scope.rank) throw std::logic_error("waits for an operation of another rank");
  return &operation;
}

/// If nothing else of the rank can happen before, its clock moves on to the end of the wait at once.
bool ContentionFreeSimulation::complete(CallScope& scope, std::span<const Op> ops) {
  RankState& rank = state_of(scope.rank);
  const bool alone = running_ == &scope && rank.first_sleeper == kNone;
  double until = rank.now_seconds;
  if (running_ == &scope && (rank.ahead || !settle(rank))) return false;
  for (const Op op : ops) {
    const Operation* operation = waited_for(scope, op);
    if (!operation) continue;
    if (operation->state == Operation::State::unknown) return false;
    if (operation->state == Operation::State::arriving) {
      if (!alone) return false;
      do {
        if (!is_certain(rank, rank.arrival.seconds)) return false;
        take_arrival(rank);
      } while (operation->state == Operation::State::arriving);
    }
    until = std::max(until, operation->seconds);
  }
  if (until > rank.now_seconds) {
    if (!alone || !is_certain(rank, until)) return false;
    while (rank.arrival.seconds <= until) take_arrival(rank);
    move_clock(rank, until);
  }
  for (const Op op : ops)
    if (operations_[slot_of(op)].generation == generation_of(op)) release(slot_of(op));
  return true;
}

void ContentionFreeSimulation::park(CallScope& scope, Waiter&, std::span<const Op> ops) {
  const std::uint32_t sleeper = new_sleeper(scope, false);
  for (const Op op : ops)
    if (waited_for(scope, op)) attach(slot_of(op), sleeper);
}

// --- the processor
// -----------------------------------------------------------------------------------------------------

/// The receive's message is there at that time.
void ContentionFreeSimulation::arrives(std::uint32_t slot, double seconds) {
  Operation& op = operations_[slot];
  RankState& rank = state_of(op.rank());
  op.state = Operation::State::arriving;
  op.seconds = seconds;
  if (op.listed) return;
  if (seconds <= rank.now_seconds) return receive(rank, rank.now_seconds, slot);
  Arrival arrival{seconds, slot, arrivals_++};
  if (rank.arrival < arrival) std::swap(arrival, rank.arrival);
  if (arrival.op == kNone) return;
  if (!rank.arrivals) rank.arrivals = std::make_unique<std::vector<Arrival>>();
  rank.arrivals->push_back(arrival);
  std::push_heap(rank.arrivals->begin(), rank.arrivals->end());
}

/// The earliest arrival goes to the processor.
void ContentionFreeSimulation::take_arrival(RankState& rank) {
  const Arrival arrival = rank.arrival;
  if (!rank.arrivals || rank.arrivals->empty()) {
    rank.arrival = {kNever, kNone};
  } else {
    rank.arrival = rank.arrivals->front();
    std::pop_heap(rank.arrivals->begin(), rank.arrivals->end());
    rank.arrivals->pop_back();
  }
  receive(rank, arrival.seconds, arrival.op);
}

void ContentionFreeSimulation::receive(RankState& rank, double seconds, std::uint32_t slot) {
  const Operation& op = operations_[slot];
  const Transport& transport = *transports_[op.distance];
  const double begin = std::max(rank.free_seconds, seconds), overhead = transport.receive_seconds(op.bytes, op.eager);
  if (const Compute::Rate* const rate = rate_at_end(op.at_end, op.eager, machine_.compute))
    rank.free_seconds = worked(begin, overhead + rate->overhead_seconds, op);
  else
    rank.free_seconds = after(begin, overhead);
  if (data_) data_.complete(slot);
  finalize(slot, rank.free_seconds);
}

void ContentionFreeSimulation::list(RankState& rank, std::uint32_t slot) {
  Operation& op = operations_[slot];
  op.listed = true;
  op.next_posted = kNone;
  (rank.posted_first == kNone ? rank.posted_first : operations_[rank.posted_last].next_posted) = slot;
  rank.posted_last = slot;
}

/// Gives the processor what was posted at this instant, in order, as far as it is certain which of its messages were
/// there by then. True if no work is left behind an uncertain receive.
bool ContentionFreeSimulation::settle(RankState& rank) {
  while (rank.posted_first != kNone) {
    const std::uint32_t slot = rank.posted_first;
    Operation& op = operations_[slot];
    const bool is_receive = op.kind == Operation::Kind::receive;
    if (is_receive && op.state == Operation::State::unknown && !arrives_no_earlier(op, rank.now_seconds)) {
      std::uint32_t other = op.next_posted;
      while (other != kNone && operations_[other].kind == Operation::Kind::receive)
        other = operations_[other].next_posted;
      return other == kNone;
    }
    rank.posted_first = op.next_posted;
    op.listed = false;
    if (!is_receive)
      work(rank, slot);
    else if (op.state == Operation::State::arriving)
      arrives(slot, op.seconds);
  }
  return true;
}

/// Time goes by: what was posted before was posted earlier.
void ContentionFreeSimulation::move_clock(RankState& rank, double seconds) {
  if (seconds == rank.now_seconds) return;
  rank.now_seconds = seconds;
  for (; rank.posted_first != kNone; rank.posted_first = operations_[rank.posted_first].next_posted)
    operations_[rank.posted_first].listed = false;
}

/// When the processor is done with `seconds` and then the operation's bytes.
double ContentionFreeSimulation::worked(double begin, double seconds, const Operation& op) const {
  const double amount = static_cast<double>(op.bytes);
  if (memory_bytes_per_second_ > 0)
    return after(after(begin, seconds), amount / std::min(memory_bytes_per_second_, 1 / op.seconds_per_byte));
  return after(begin, seconds + amount * op.seconds_per_byte);
}

/// What was just posted, or put off.
void ContentionFreeSimulation::work(RankState& rank, std::uint32_t slot) {
  const Operation& op = operations_[slot];
  if (op.kind == Operation::Kind::send) return inject(rank, slot);
  const double begin = std::max(rank.now_seconds, rank.free_seconds);
  rank.free_seconds = op.kind == Operation::Kind::busy
                          ? after(begin, static_cast<double>(op.bytes) * op.seconds_per_byte)
                          : worked(begin, op.seconds, op);
  learn(slot);
  if (data_ && op.kind == Operation::Kind::compute) data_.complete(slot);
  if (op.kind == Operation::Kind::compute) return finalize(slot, rank.free_seconds);
  finalize(slot, rank.now_seconds);  // nobody waits for it
  if (op.sleeper == kNone) release(slot);
}

Op ContentionFreeSimulation::post_work(CallScope& scope, std::int64_t bytes, const Compute::Rate& rate,
                                       const DataMoves::Move& move) {
  RankState& rank = state_of(scope.rank);
  const std::uint32_t slot = open_op(scope, Operation::Kind::compute, scope.rank, bytes);
  const Op posted = op_at(slot);
  if (data_) data_.post(slot, move);
  if (bytes == 0) {
    if (data_) data_.complete(slot);
    finalize(slot, rank.now_seconds);
    return posted;
  }
  operations_[slot].seconds = rate.overhead_seconds;
  operations_[slot].seconds_per_byte = memory_.seconds_per_byte(scope.rank, bytes, rate);
  post(rank, slot);
  return posted;
}

void ContentionFreeSimulation::keep_busy(CallScope& scope, std::int64_t times, double seconds) {
  const std::uint32_t slot = open_op(scope, Operation::Kind::busy, scope.rank, times);
  operations_[slot].seconds_per_byte = seconds;
  post(state_of(scope.rank), slot);
}

/// Work goes to the processor at once, or behind receives that may have been there before.
void ContentionFreeSimulation::post(RankState& rank, std::uint32_t slot) {
  if (settle(rank) && rank.posted_first == kNone)
    work(rank, slot);
  else
    list(rank, slot);
}

}  // namespace tutti::fast
