#include <stdexcept>
#include <utility>

#include "sim/simulation.hpp"

// Operations, and which send belongs to which receive.

namespace tutti {
Simulation::Slot Simulation::open_op(CallScope& scope, std::int64_t event) {
  if (free_ops_.empty()) {
    if (ops_.size() > kMostIds) throw std::length_error("Simulation: too many operations under way");
    free_ops_.push_back(static_cast<Slot>(ops_.size()));
    ops_.emplace_back();
    if (experiment_.record) op_events_.emplace_back();
  }
  const Slot slot = free_ops_.back();
  free_ops_.pop_back();
  OpState& op = ops_[slot];
  Slot& first = first_op_[static_cast<std::size_t>(scope.rank)];
  op.done = false;
  op.rank = static_cast<std::uint32_t>(scope.rank) & ~0u >> 1;
  op.scope = &scope;
  op.waiter = nullptr;
  op.previous = kNoOp;
  op.next = first;
  if (first != kNoOp) ops_[first].previous = slot;
  first = slot;
  if (experiment_.record) op_events_[slot] = event;
  ++scope.outstanding;
  return slot;
}

void Simulation::complete_op(Slot slot) {
  OpState& op = ops_[slot];
  op.done = true;
  if (!op.scope) return release(op_of(slot, op.generation));
  const auto let_go_on = [this, slot](const Waiter& waiter) {
    if (experiment_.record) last_event_[static_cast<std::size_t>(waiter.rank)] = event_of_op(slot);
    ready_.push_back(waiter.handle);
  };
  if (op.waiter && --op.waiter->pending == 0) let_go_on(*op.waiter);
  if (const Waiter* waiter = op.scope->completed_one()) let_go_on(*waiter);
  if (op.waiter) release(op_of(slot, op.generation));
}

void Simulation::release(Op op) {
  OpState& state = ops_[slot_of(op)];
  if (state.generation != generation_of(op)) return;  // waited for before
  ++state.generation;
  (state.previous == kNoOp ? first_op_[static_cast<std::size_t>(state.rank)] : ops_[state.previous].next) = state.next;
  if (state.next != kNoOp) ops_[state.next].previous = state.previous;
  free_ops_.push_back(slot_of(op));
}

bool Simulation::complete(CallScope& scope, std::span<const Op> ops) {
  bool all = true;
  for (const Op op : ops) {
    if (slot_of(op) >= ops_.size()) throw std::logic_error("waits for what is no operation");
    const OpState& state = ops_[slot_of(op)];
    if (state.generation != generation_of(op)) continue;  // waited for before
    if (static_cast<Rank>(state.rank) != scope.rank) throw std::logic_error("waits for an operation of another rank");
    all &= state.done != 0;
  }
  if (!all) return false;
  for (const Op op : ops) {
    if (ops_[slot_of(op)].generation != generation_of(op)) continue;  // waited for before
    if (experiment_.record) {
      const std::int64_t event = event_of_op(slot_of(op));
      std::int64_t& last = last_event_[static_cast<std::size_t>(scope.rank)];
      if (event != TraceEvent::kNone &&
          (last == TraceEvent::kNone || result_.trace[static_cast<std::size_t>(event)].ended_seconds >=
                                            result_.trace[static_cast<std::size_t>(last)].ended_seconds))
        last = event;
    }
    release(op);
  }
  return true;
}

void Simulation::park(CallScope&, Waiter& waiter, std::span<const Op> ops) {
  for (const Op op : ops) {
    OpState& state = ops_[slot_of(op)];
    if (state.generation != generation_of(op)) continue;
    if (state.done) {
      release(op);
    } else if (state.waiter != &waiter) {  // else it is named twice
      if (state.waiter) throw std::logic_error("two waits for one operation at a time");
      state.waiter = &waiter;
      ++waiter.pending;
    }
  }
}

Op Simulation::post_send(CallScope& scope, const Outgoing& outgoing, const DataMoves::Move& move) {
  const std::int64_t event = record(TraceEvent::Kind::message, scope.rank, outgoing.to, outgoing.bytes);
  const Slot slot = open_op(scope, event);
  const Op op = op_of(slot, ops_[slot].generation);
  const auto [from, receiver] = symmetry_.as_received(scope.rank, outgoing.to);
  const std::uint32_t id = message_for(scope, from, receiver, outgoing.lane, true);
  Message& message = messages_[id];
  message.from = from;
  message.to = receiver;
  message.bytes = outgoing.bytes;
  message.send_op = slot;
  if (experiment_.record) details_[id].event = event;
  const Path& path = paths_.between(message.from, message.to);
  message.distance = static_cast<std::uint8_t>(path.distance);
  message.links_seconds = path.latency_seconds;
  if (!path.transport)
    throw std::logic_error("the machine says nothing about messages from a core to where rank " +
                           std::to_string(outgoing.to) + " is");
  const Transport& transport = *path.transport;
  message.segment = &transport.segment(outgoing.bytes);
  message.eager = transport.is_eager(outgoing.bytes, outgoing.blocking);
  if (message.wanted && experiment_.record) op_events_[message.recv_op] = event;
  if (data_) data_.post(slot, move);
  const double packing_seconds_per_byte = message.eager ? 0 : outgoing.packing_seconds_per_byte;
  if (packing_seconds_per_byte > 0) {
    message.packed = true;
    details_[id].packing_seconds_per_byte = packing_seconds_per_byte;
  }
  // The message may be gone at once.
  enqueue(scope.rank, Work::Kind::inject, id, transport.send_seconds(outgoing.bytes, outgoing.blocking));
  if (packing_seconds_per_byte > 0)
    enqueue(scope.rank, Work::Kind::busy, 0, machine_.compute.copy.overhead_seconds, outgoing.bytes,
            packing_seconds_per_byte);
  return op;
}

Op Simulation::post_receive(CallScope& scope, const Awaited& awaited, const DataMoves::Move& move) {
  const Slot slot = open_op(scope, TraceEvent::kNone);
  const Op op = op_of(slot, ops_[slot].generation);
  const std::uint32_t id = message_for(scope, awaited.from, scope.rank, awaited.lane, false);
  messages_[id].recv_op = slot;
  messages_[id].at_end = awaited.at_end;
  if (awaited.at_end != AtEnd::nothing) details_[id].at_end_seconds_per_byte = awaited.at_end_seconds_per_byte;
  if (experiment_.record) op_events_[slot] = event_of_message(id);
  if (data_) data_.post(slot, move);
  message_wanted(id);
  return op;
}

std::uint32_t Simulation::new_message() {
  if (free_messages_.empty()) {
    free_messages_.push_back(static_cast<std::uint32_t>(messages_.size()));
    messages_.emplace_back();
    details_.emplace_back();
  }
  const std::uint32_t id = free_messages_.back();
  free_messages_.pop_back();
  messages_[id] = Message{};
  if (experiment_.record) details_[id].event = TraceEvent::kNone;
  return id;
}

std::uint32_t Simulation::message_for(const CallScope& scope, Rank from, Rank to, int lane, bool is_send) {
  const PairKey key{pair_number(from, to), match_key(scope, lane)};
  auto& entry = channels_.at(key);
  Channel& channel = entry.value;
  if (channel.first != kNoMessage && channel.holds_sends != is_send) {
    const std::uint32_t id = channel.first;
    channel.first = messages_[id].next;
    if (channel.first == kNoMessage) channels_.erase(entry);
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
  if (is_background(scope.rank)) background_scopes_[rank - static_cast<std::size_t>(experiment_.c.ranks)] = &scope;
  scope.number = clocks_[rank].first_call_number + calls_[rank][group_number(scope)]++;
}

void Simulation::leave(CallScope& scope) {
  const bool unheard = scope.exception && !scope.heard;
  abandoned_ |= !scope.over() || unheard;
  if (unheard && !unheard_) unheard_ = named(scope.exception, scope.rank);
  for (Slot slot = first_op_[static_cast<std::size_t>(scope.rank)]; slot != kNoOp;) {
    OpState& op = ops_[slot];
    const Op gone = op_of(std::exchange(slot, op.next), op.generation);
    if (op.scope != &scope) continue;
    op.scope = nullptr;
    op.waiter = nullptr;
    if (op.done) release(gone);
  }
}

}  // namespace tutti
