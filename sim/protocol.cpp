#include <algorithm>
#include <cmath>

#include "sim/simulation.hpp"

namespace tutti {
namespace {

std::uint64_t connection_key(Rank from, Rank to) {
  return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
}
constexpr std::uint64_t kBothDirections = std::uint64_t{1} << 63;

template <class Item>
void fetch_ahead(const Item& item) {
  __builtin_prefetch(&item);
}

}  // namespace

// --- processors: one thing at a time, in posting order
// ------------------------------------------------------------------

void Simulation::enqueue(Rank rank, Work::Kind kind, std::uint32_t id, double seconds, std::int64_t bytes,
                         double seconds_per_byte) {
  const Slot slot = works_.take();
  Work& work = works_[slot];
  work.seconds = seconds;
  work.bytes = bytes;
  work.seconds_per_byte = seconds_per_byte;
  work.id = id & kMostIds;  // as open_op sees to
  work.kind = kind;
  work.next = kNoWork;
  Processor& processor = processors_[static_cast<std::size_t>(rank)];
  const bool idle = processor.first == kNoWork;
  (idle ? processor.first : works_[processor.last].next) = slot;
  processor.last = slot;
  if (idle && !processor.running) run_queue(rank);
}

/// Goes on with the front work, and with those behind it as long as they take no time.
void Simulation::run_queue(Rank rank) {
  Processor& processor = processors_[static_cast<std::size_t>(rank)];
  processor.running = true;
  while (processor.first != kNoWork) {
    Work& front = works_[processor.first];
    if (!processor.started) {
      processor.started = true;
      if (front.next != kNoWork) fetch_ahead(works_[front.next]);  // of its turn: until then others have theirs
      if (front.kind == Work::Kind::local) fetch_ahead(ops_[front.id]);
      if (experiment_.record) spend(event_of(front), Spent::On::processor, rank);  // it had other things to do
      const double seconds = duration_seconds(rank, front);
      if (seconds > 0) {
        plan(now() + seconds, Event::Kind::work_over, static_cast<std::uint32_t>(rank));
        break;
      }
    }
    if (front.bytes > 0 && flows_through_memory(rank)) {
      if (experiment_.record) spend(event_of(front), Spent::On::processor, rank);
      const double cap = front.seconds_per_byte > 0 ? 1 / front.seconds_per_byte : INFINITY;
      start(kLocalFlow | static_cast<std::uint32_t>(rank), paths_.between(rank, rank), front.bytes, cap);
      front.bytes = 0;  // on their way: the flow's end brings us back here
      break;
    }
    const Work work = front;
    works_.give_back(processor.first);
    processor.first = work.next;
    processor.started = false;
    finish(work);
  }
  processor.running = false;
}

/// How long the work takes before its bytes flow, if they do.
double Simulation::duration_seconds(Rank rank, const Work& work) {
  switch (work.kind) {
    case Work::Kind::inject: {
      double& gap_over = processors_[static_cast<std::size_t>(rank)].gap_over_seconds;
      const double begin = std::max(now(), gap_over);
      gap_over = begin + messages_[work.id].transport->gap_seconds;
      spend(messages_[work.id].event, Spent::On::gap, rank, begin);
      return begin - now() + work.seconds;
    }
    case Work::Kind::local:
    case Work::Kind::receive:
    case Work::Kind::busy:
      break;
  }
  if (work.bytes == 0 || flows_through_memory(rank)) return work.seconds;
  return work.seconds + static_cast<double>(work.bytes) * work.seconds_per_byte;
}

bool Simulation::flows_through_memory(Rank rank) { return paths_.between(rank, rank).hops > 0; }

std::int64_t Simulation::event_of(const Work& work) const {
  switch (work.kind) {
    case Work::Kind::inject:
    case Work::Kind::receive:
      return messages_[work.id].event;
    case Work::Kind::local:
      return ops_[work.id].event;
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
      spend(messages_[work.id].event, Spent::On::processor, messages_[work.id].to);
      stamp_end(messages_[work.id].event);
      if (data_) {
        data_.bring(messages_[work.id].recv_op, messages_[work.id].parcel);
        data_.complete(messages_[work.id].recv_op);
      }
      complete_op(messages_[work.id].recv_op);
      free_messages_.push_back(work.id);
      return;
    case Work::Kind::busy:
      return;
    case Work::Kind::local:
      spend(ops_[work.id].event, Spent::On::processor, ops_[work.id].rank);
      stamp_end(ops_[work.id].event);
      if (data_) data_.complete(work.id);
      return complete_op(work.id);
  }
}

void Simulation::stamp_end(std::int64_t event) {
  if (event != TraceEvent::kNone) result_.trace[static_cast<std::size_t>(event)].ended_seconds = now();
}

/// Where the rate goes by it: all that the rank's call has in memory, its buffers and what it takes for itself.
double Simulation::seconds_per_byte(Rank rank, std::int64_t bytes, const Compute::Rate& rate) const {
  std::int64_t call_bytes = 0;
  if (rate.by_call) {
    const BufferSizes sizes = buffer_sizes(experiment_.c, rank);
    call_bytes =
        (sizes.in + sizes.out) * experiment_.c.element_bytes + temporaries_[static_cast<std::size_t>(rank)].bytes();
  }
  return rate.seconds_per_byte_at(bytes, call_bytes);
}

View Simulation::scratch(CallScope& scope, Count elements) {
  const auto rank = static_cast<std::size_t>(scope.rank);
  const View taken = data_ ? data_->scratch(scope.rank, elements) : View::contiguous(buffers_[rank]++, 0, elements);
  temporaries_[rank].take(taken.buffer, elements * experiment_.c.element_bytes, machine_.compute.temporary);
  return taken;
}

/// Before it writes there, the processor is busy with pages that are fresh.
void Simulation::touch(Rank rank, const View& written) {
  const Compute::Temporary& cost = machine_.compute.temporary;
  const std::int64_t fresh =
      temporaries_[static_cast<std::size_t>(rank)].touch(written, experiment_.c.element_bytes, cost);
  if (fresh > 0) enqueue(rank, Work::Kind::busy, 0, static_cast<double>(fresh) * cost.seconds_per_byte);
}

void Simulation::make_requests(CallScope& scope, int count) {
  const double seconds = count * machine_.compute.request_seconds;
  if (seconds > 0) enqueue(scope.rank, Work::Kind::busy, 0, seconds);
}

Op Simulation::local_work(CallScope& scope, const DataMoves::Move& move, std::int64_t bytes,
                          const Compute::Rate& rate) {
  const auto kind = move.kind == DataMoves::Move::Kind::copy ? TraceEvent::Kind::copy : TraceEvent::Kind::combine;
  const Slot slot = open_op(scope, record(kind, scope.rank, scope.rank, bytes));
  const Op op{slot, ops_[slot].generation};
  if (ops_[slot].event != TraceEvent::kNone) {
    TraceEvent& event = result_.trace[static_cast<std::size_t>(ops_[slot].event)];
    event.started_seconds = event.posted_seconds;
  }
  if (data_) data_.post(slot, move);
  if (bytes == 0) {
    stamp_end(ops_[slot].event);
    if (data_) data_.complete(slot);
    complete_op(slot);
    return op;
  }
  enqueue(scope.rank, Work::Kind::local, slot, rate.overhead_seconds, bytes, seconds_per_byte(scope.rank, bytes, rate));
  return op;
}

Op Simulation::copy(CallScope& scope, const View& to, const View& from) {
  const std::int64_t bytes = to == from ? 0 : to.elements() * experiment_.c.element_bytes;
  touch(scope.rank, to);
  return local_work(scope, {DataMoves::Move::Kind::copy, scope.rank, to, from, {}}, bytes, machine_.compute.copy);
}

Op Simulation::combine(CallScope& scope, const View& to, const View& left, const View& right) {
  touch(scope.rank, to);
  return local_work(scope, {DataMoves::Move::Kind::combine, scope.rank, to, left, right},
                    to.elements() * experiment_.c.element_bytes, machine_.compute.reduce);
}

/// The receiver's processor gets the message, which is there.
void Simulation::take_in(std::uint32_t id) {
  const Message& message = messages_[id];
  const double seconds = message.transport->receive_seconds(message.bytes, message.eager);
  const bool is_in_place = !message.at_end || (message.eager && message.at_end == &machine_.compute.copy);
  if (!is_in_place)
    enqueue(message.to, Work::Kind::receive, id, seconds + message.at_end->overhead_seconds, message.bytes,
            message.at_end_seconds_per_byte);
  else
    enqueue(message.to, Work::Kind::receive, id, seconds);
}

// --- the way of a message
// -----------------------------------------------------------------------------------------------

/// Flows that share one go one after the other.
NumberKey Simulation::connection_of(const Message& message) {
  if (!message.takes_turns) return {connection_key(message.from, message.to)};
  return {connection_key(std::min(message.from, message.to), std::max(message.from, message.to)) | kBothDirections};
}

/// The sender's processor is done with it.
void Simulation::message_ready(std::uint32_t id) {
  Message& message = messages_[id];
  message.ready = true;
  message.ready_seconds = now();
  spend(message.event, Spent::On::processor, message.from);
  if (message.eager) {
    const Slot send_op = message.send_op;
    if (data_) message.parcel = data_.pack(send_op);
    begin_transfer(id, 0);
    complete_op(send_op);
  } else if (message.wanted) {
    begin_transfer(id, handshake_seconds(message));
  }
}

/// Its receive is posted.
void Simulation::message_wanted(std::uint32_t id) {
  Message& message = messages_[id];
  message.wanted = true;
  const bool waited_for_receiver = message.arrived || (message.ready && !message.eager);
  if (waited_for_receiver && message.event != TraceEvent::kNone) {
    TraceEvent& event = result_.trace[static_cast<std::size_t>(message.event)];
    event.after = last_event_[static_cast<std::size_t>(message.to)];
    event.wanted_seconds = now();
    spend(message.event, Spent::On::receiver, message.to);
  }
  if (message.arrived)
    take_in(id);
  else if (message.ready && !message.eager)
    begin_transfer(id, handshake_seconds(message));
}

/// From now, when both sides are ready, to when the data set out. The announcement may be under way since long.
double Simulation::handshake_seconds(const Message& message) {
  const double known_seconds = message.ready_seconds + message.transport->announcement_seconds(message.links_seconds);
  return std::max(known_seconds - now(), 0.0) + message.transport->clearance_seconds(message.links_seconds);
}

/// Leaves the sender: its first byte is at the receiver after the handshake and the latencies on the way.
///
/// Inside a node a core moves the bytes, at the segment's rate. Between nodes adapters do, and a message that is slower
/// than its links is so because it passes several stages in turn: the stages work on several messages at once, so that
/// this is delay, not rate.
void Simulation::begin_transfer(std::uint32_t id, double handshake_seconds) {
  const Message& message = messages_[id];
  const Segment& segment = *message.segment;
  const double bytes = static_cast<double>(message.bytes);
  Path& path = paths_.between(message.from, message.to);
  path.carried_bytes += bytes;
  double delay = handshake_seconds + segment.latency_seconds + path.latency_seconds;
  if (path.by_adapters && segment.bandwidth_bytes_per_second < path.narrowest)
    delay += bytes * (1 / segment.bandwidth_bytes_per_second - 1 / path.narrowest);
  if (message.event != TraceEvent::kNone)
    result_.trace[static_cast<std::size_t>(message.event)].started_seconds = now();
  if (delay > 0)
    plan(now() + delay, Event::Kind::transfer, id);
  else
    transfer(id);
}

/// Its bytes may flow, once those of earlier messages on the connection have.
void Simulation::transfer(std::uint32_t id) {
  Message& message = messages_[id];
  spend(message.event, Spent::On::latency, -1);
  if (message.bytes == 0) return arrive(id);
  message.takes_turns = message.transport->half_duplex_above_bytes == 0;
  queue_flow(id);
}

void Simulation::queue_flow(std::uint32_t id) {
  Message& message = messages_[id];
  message.next_to_flow = kNoMessage;
  Connection& connection = connections_.at(connection_of(message)).value;
  const bool idle = connection.first == kNoMessage;
  (idle ? connection.first : messages_[connection.last].next_to_flow) = id;
  connection.last = id;
  if (idle) start_flow(id);
}

void Simulation::start_flow(std::uint32_t id) {
  const Message& message = messages_[id];
  const std::int64_t both_ways = std::min(message.bytes, message.transport->half_duplex_above_bytes),
                     bytes = message.takes_turns ? message.bytes - both_ways : both_ways;
  const Path& path = paths_.between(message.from, message.to);
  spend(message.event, Spent::On::connection, message.from);
  const double packing = message.packing_seconds_per_byte > 0 ? 1 / message.packing_seconds_per_byte : INFINITY,
               cap = std::min(packing, message.segment->bandwidth_bytes_per_second);
  if (path.hops > 0)
    start(id, path, bytes, path.by_adapters ? packing : cap);
  else
    plan(now() + static_cast<double>(bytes) / cap, Event::Kind::flow_over, id);
}

void Simulation::start(std::uint32_t flow, const Path& path, std::int64_t bytes, double rate_cap) {
  if (++flows_ > network_.most_flows())
    throw ExperimentRefused(choice_.algorithm->full_name() + " on " + std::to_string(experiment_.c.ranks) +
                            " ranks has more than " + std::to_string(network_.most_flows()) +
                            " messages under way at once, which this engine cannot bear");
  const auto& core = experiment_.core_of_rank;
  network_.start(flow, core[static_cast<std::size_t>(path.from)], core[static_cast<std::size_t>(path.to)],
                 paths_.links(path), bytes, rate_cap);
}

void Simulation::flow_over(std::uint32_t id) {
  if (experiment_.record && paths_.between(messages_[id].from, messages_[id].to).hops == 0)
    spend(messages_[id].event, Spent::On::rate, -1);
  auto& connection = connections_.at(connection_of(messages_[id]));
  const std::uint32_t next = messages_[id].next_to_flow;
  if (next == kNoMessage)
    connections_.erase(connection);
  else
    connection.value.first = next;
  Message& message = messages_[id];
  if (message.takes_turns || message.bytes <= message.transport->half_duplex_above_bytes) {
    arrive(id);
  } else {
    message.takes_turns = true;
    queue_flow(id);
  }
  if (next != kNoMessage) start_flow(next);
}

/// All its bytes are at the receiver.
void Simulation::arrive(std::uint32_t id) {
  Message& message = messages_[id];
  message.arrived = true;
  stamp_end(message.event);
  if (data_ && !message.eager) message.parcel = data_.pack(message.send_op);
  if (!message.eager) {
    const double seconds = message.transport->acknowledgement_seconds(message.links_seconds);
    if (seconds > 0)
      plan(now() + seconds, Event::Kind::acknowledged, message.send_op);
    else
      complete_op(message.send_op);
  }
  if (message.wanted) take_in(id);
}

}  // namespace tutti
