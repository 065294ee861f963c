// The work of simulated processors: one thing at a time, in posting order.
#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/simulation.hpp"

namespace tutti {
namespace {

/// The peer is kept as the one before the next.
bool is_another(Rank peer, Rank& before) {
  const Rank last = std::exchange(before, peer);
  return last != -1 && last != peer;
}

}  // namespace

void Simulation::enqueue(Rank rank, Work::Kind kind, std::uint32_t id, double seconds, std::int64_t bytes,
                         double seconds_per_byte) {
  Processor& processor = processors_[rank];
  const bool idle = !processor.busy;
  Work& work = processors_.add(processor);
  work.seconds = seconds;
  work.bytes = bytes;
  work.seconds_per_byte = seconds_per_byte;
  work.id = id & Operations::kMost;  // which sees to it
  work.kind = kind;
  work.next = Pool<Work>::kNone;
  if (idle && !processor.running) run_queue(rank);
}

/// Of copies that are waited for together nobody sees but the last end, and a flow costs the network far more than a
/// copy does: they are one flow, behind the overheads of all.
void Simulation::join_what_ends_together(Rank rank) {
  Processor& processor = processors_[rank];
  while (const Work* const next = processors_.behind_front(processor)) {
    if (processor.front.kind != Work::Kind::local || next->kind != Work::Kind::local) return;
    if (processor.front.seconds_per_byte != next->seconds_per_byte) return;
    if (!operations_.end_together(processor.front.id, next->id)) return;
    const Work first = processors_.pop(processor);
    Work& both = processor.front;
    both.seconds += first.seconds;
    both.bytes += first.bytes;
    record_.join(rank, record_.of_operation(first.id));
    if (data_) data_.complete(first.id);
    complete_op(first.id);
  }
}

/// Goes on with the front work, and with those behind it as long as they take no time.
void Simulation::run_queue(Rank rank) {
  Processor& processor = processors_[rank];
  processor.running = true;
  while (processor.busy) {
    if (!processor.started) join_what_ends_together(rank);
    Work& front = processor.front;
    if (!processor.started) {
      processor.started = true;
      processors_.fetch_next(processor);  // of its turn: until then others have theirs
      if (front.kind == Work::Kind::local) operations_.fetch_ahead(front.id);
      if (record_) spend(event_of(front), Spent::On::processor, rank);  // it had other things to do
      auto [wait_seconds, work_seconds] = duration(rank, front);
      if (wait_seconds + work_seconds > 0) {
        if (!detours_.empty() && work_seconds > 0)
          work_seconds = detours_[rank].stretched(now() + wait_seconds, work_seconds);
        plan(now() + (wait_seconds + work_seconds), Event::Kind::work_over, static_cast<std::uint32_t>(rank));
        break;
      }
    }
    if (front.bytes > 0 && flows_through_memory(rank)) {
      if (record_) spend(event_of(front), Spent::On::processor, rank);
      const double cap = front.seconds_per_byte > 0 ? 1 / front.seconds_per_byte : INFINITY;
      start(kLocalFlow | static_cast<std::uint32_t>(rank), paths_.between(rank, rank), front.bytes, cap);
      front.bytes = 0;  // on their way: the flow's end brings us back here
      break;
    }
    finish(processors_.pop(processor));
  }
  processor.running = false;
}

/// Before the work's bytes flow, if they do.
Simulation::Duration Simulation::duration(Rank rank, const Work& work) {
  double wait = 0, seconds = work.seconds;
  switch (work.kind) {
    case Work::Kind::inject: {
      Processor& processor = processors_[rank];
      const Message& message = messages_[work.id];
      const Transport& transport = transport_of(message);
      double begin = processor.gap_over_seconds;
      if (transport.makes_connections_anew() &&
          is_another(symmetry_.as_sent(message.from, message.to).second, processor.sent_to))
        begin += transport.peer_change_send_gap_seconds;
      begin = std::max(now(), begin);
      processor.gap_over_seconds = begin + transport.gap_seconds;
      record_.spend(record_.of_message(work.id), Spent::On::gap, rank, begin);
      return {begin - now(), seconds};
    }
    case Work::Kind::receive: {
      const Message& message = messages_[work.id];
      const Transport& transport = transport_of(message);
      if (!transport.makes_connections_anew()) break;
      Processor& processor = processors_[rank];
      double begin = now();
      if (is_another(message.from, processor.received_from))
        begin = std::max(begin, processor.received_seconds + transport.peer_change_receive_gap_seconds);
      record_.spend(record_.of_message(work.id), Spent::On::gap, rank, begin);
      processor.received_seconds = begin + seconds;
      wait = begin - now();
      break;
    }
    case Work::Kind::local:
    case Work::Kind::busy:
      break;
  }
  if (work.bytes == 0 || flows_through_memory(rank)) return {wait, seconds};
  return {wait, seconds + static_cast<double>(work.bytes) * work.seconds_per_byte};
}

bool Simulation::flows_through_memory(Rank rank) { return paths_.between(rank, rank).hops > 0; }

std::int64_t Simulation::event_of(const Work& work) const {
  switch (work.kind) {
    case Work::Kind::inject:
    case Work::Kind::receive:
      return record_.of_message(work.id);
    case Work::Kind::local:
      return record_.of_operation(work.id);
    case Work::Kind::busy:
      break;
  }
  return TraceEvent::kNone;
}

void Simulation::finish(const Work& work) {
  switch (work.kind) {
    case Work::Kind::inject:
      return message_ready(work.id);
    case Work::Kind::receive:
      spend(record_.of_message(work.id), Spent::On::processor, messages_[work.id].to);
      record_.end(record_.of_message(work.id), now());
      if (data_) {
        data_.bring(messages_[work.id].recv_op, messages_.details(work.id).parcel);
        data_.complete(messages_[work.id].recv_op);
      }
      complete_op(messages_[work.id].recv_op);
      record_.set_message(work.id, TraceEvent::kNone);
      messages_.give_back(work.id);
      return;
    case Work::Kind::busy:
      return;
    case Work::Kind::local:
      spend(record_.of_operation(work.id), Spent::On::processor, operations_.rank_of(work.id));
      record_.end(record_.of_operation(work.id), now());
      record_.end_joined(operations_.rank_of(work.id), record_.of_operation(work.id));
      if (data_) data_.complete(work.id);
      return complete_op(work.id);
  }
}

void Simulation::keep_busy(CallScope& scope, std::int64_t times, double seconds) {
  enqueue(scope.rank, Work::Kind::busy, 0, static_cast<double>(times) * seconds);
}

Op Simulation::post_work(CallScope& scope, std::int64_t bytes, const Compute::Rate& rate, const DataMoves::Move& move) {
  const auto kind = move.kind == DataMoves::Move::Kind::copy ? TraceEvent::Kind::copy : TraceEvent::Kind::combine;
  const std::int64_t event = record_.post(kind, scope.rank, scope.rank, bytes, now());
  if (event != TraceEvent::kNone) record_[event].started_seconds = now();
  const Op op = operations_.open(scope);
  const Slot slot = slot_of(op);
  record_.set_operation(slot, event);
  if (data_) data_.post(slot, move);
  if (bytes == 0) {
    record_.end(event, now());
    if (data_) data_.complete(slot);
    complete_op(slot);
    return op;
  }
  enqueue(scope.rank, Work::Kind::local, slot, rate.overhead_seconds, bytes,
          memory_.seconds_per_byte(scope.rank, bytes, rate));
  return op;
}

}  // namespace tutti
