// What ranks post and wait for.
#include <stdexcept>

#include "sim/simulation.hpp"

namespace tutti {

void Simulation::complete_op(Slot slot) {
  operations_.complete(slot, [this, slot](const Waiter& waiter) {
    if (record_) record_.let_go_on(waiter.rank, record_.of_operation(slot));
    ready_.push_back(waiter.handle);
  });
}

bool Simulation::complete(CallScope& scope, std::span<const Op> ops) {
  return operations_.take_if_complete(scope.rank, ops, [this, &scope](Slot slot) {
    if (record_) record_.let_go_on_if_later(scope.rank, record_.of_operation(slot));
  });
}

void Simulation::park(CallScope&, Waiter& waiter, std::span<const Op> ops) { operations_.park(waiter, ops); }

Op Simulation::post_send(CallScope& scope, const Outgoing& outgoing, const DataMoves::Move& move) {
  const std::int64_t event = record_.post(TraceEvent::Kind::message, scope.rank, outgoing.to, outgoing.bytes, now());
  const Op op = operations_.open(scope);
  const Slot slot = slot_of(op);
  const auto [from, receiver] = symmetry_.as_received(scope.rank, outgoing.to);
  const std::uint32_t id = messages_.match({pair_number(from, receiver), match_key(scope, outgoing.lane)}, true);
  Message& message = messages_[id];
  message.from = from;
  message.to = receiver;
  message.bytes = outgoing.bytes;
  message.send_op = slot;
  record_.set_operation(slot, event);
  record_.set_message(id, event);
  const Path& path = paths_.between(message.from, message.to);
  message.distance = static_cast<std::uint8_t>(path.distance);
  message.links_seconds = path.latency_seconds;
  if (!path.transport)
    throw std::logic_error("the machine says nothing about messages from a core to where rank " +
                           std::to_string(outgoing.to) + " is");
  const Transport& transport = *path.transport;
  message.segment = &transport.segment(outgoing.bytes);
  message.eager = transport.is_eager(outgoing.bytes, outgoing.blocking);
  if (message.wanted) record_.set_operation(message.recv_op, event);
  if (data_) data_.post(slot, move);
  const double packing_seconds_per_byte = message.eager ? 0 : outgoing.packing_seconds_per_byte;
  if (packing_seconds_per_byte > 0) {
    message.packed = true;
    messages_.details(id).packing_seconds_per_byte = packing_seconds_per_byte;
  }
  // The message may be gone at once.
  const bool copies_all_eager = transport.connections_copy;
  enqueue(scope.rank, Work::Kind::inject, id,
          transport.send_seconds(outgoing.bytes, outgoing.blocking, copies_all_eager));
  if (packing_seconds_per_byte > 0)
    enqueue(scope.rank, Work::Kind::busy, 0, machine_.compute.copy.overhead_seconds, outgoing.bytes,
            packing_seconds_per_byte);
  return op;
}

Op Simulation::post_receive(CallScope& scope, const Awaited& awaited, const DataMoves::Move& move) {
  const Op op = operations_.open(scope);
  const Slot slot = slot_of(op);
  const std::uint32_t id =
      messages_.match({pair_number(awaited.from, scope.rank), match_key(scope, awaited.lane)}, false);
  messages_[id].recv_op = slot;
  messages_[id].at_end = awaited.at_end;
  if (awaited.at_end != AtEnd::nothing) messages_.details(id).at_end_seconds_per_byte = awaited.at_end_seconds_per_byte;
  if (record_) record_.set_operation(slot, record_.of_message(id));
  if (data_) data_.post(slot, move);
  message_wanted(id);
  return op;
}

void Simulation::on(CallEvent event, CallScope& scope) {
  if (event == CallEvent::begun) begin(scope);
  if (event == CallEvent::left) leave(scope);
}

void Simulation::begin(CallScope& scope) {
  if (is_background(scope.rank)) background_.calls[scope.rank - experiment_.c.ranks] = &scope;
  scope.number = clocks_.numbers(scope.rank).next(scope);
}

void Simulation::leave(CallScope& scope) {
  clocks_.numbers(scope.rank).forget(scope);
  const bool unheard = scope.exception && !scope.heard;
  abandoned_.any |= !scope.over() || unheard;
  if (unheard && !abandoned_.unheard) abandoned_.unheard = named(scope.exception, scope.rank);
  operations_.forget(scope);
}

}  // namespace tutti
