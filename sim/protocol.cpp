// The way of a simulated message, from the sender's processor to the receiver's.
#include <algorithm>
#include <cmath>

#include "sim/simulation.hpp"

namespace tutti {

/// A rank that sends round after round could else have any number of messages under way; libraries bound them by
/// credits.
bool Simulation::ends_when_received(const Message& message) const { return is_background(message.from); }

/// Once the receiver's side has said so.
void Simulation::end_send(const Message& message) {
  const double seconds = transport_of(message).send_end_seconds(message.bytes, message.eager, message.links_seconds);
  if (seconds > 0)
    plan(now() + seconds, Event::Kind::acknowledged, message.send_op);
  else
    complete_op(message.send_op);
}

/// The receiver's processor gets the message, which is there.
void Simulation::take_in(std::uint32_t id) {
  const Message& message = messages_[id];
  if (message.eager && ends_when_received(message)) end_send(message);
  const double seconds = transport_of(message).receive_seconds(message.bytes, message.eager);
  if (const Compute::Rate* const rate = rate_at_end(message.at_end, message.eager, machine_.compute))
    enqueue(message.to, Work::Kind::receive, id, seconds + rate->overhead_seconds, message.bytes,
            messages_.details(id).at_end_seconds_per_byte);
  else
    enqueue(message.to, Work::Kind::receive, id, seconds);
}

/// The sender's processor is done with it.
void Simulation::message_ready(std::uint32_t id) {
  Message& message = messages_[id];
  message.ready = true;
  message.ready_seconds = now();
  spend(record_.of_message(id), Spent::On::processor, message.from);
  if (message.eager) {
    const Slot send_op = message.send_op;
    if (data_) messages_.details(id).parcel = data_.pack(send_op);
    const bool ends_now = !transport_of(message).is_acknowledged(message.bytes) && !ends_when_received(message);
    begin_transfer(id, 0);
    if (ends_now) complete_op(send_op);
  } else if (message.wanted) {
    begin_transfer(id, handshake_seconds(message));
  }
}

/// Its receive is posted.
void Simulation::message_wanted(std::uint32_t id) {
  Message& message = messages_[id];
  message.wanted = true;
  const bool waited_for_receiver = message.arrived || (message.ready && !message.eager);
  if (waited_for_receiver && record_.of_message(id) != TraceEvent::kNone) {
    TraceEvent& event = record_[record_.of_message(id)];
    event.after = record_.last_of(message.to);
    event.wanted_seconds = now();
    spend(record_.of_message(id), Spent::On::receiver, message.to);
  }
  if (message.arrived)
    take_in(id);
  else if (message.ready && !message.eager)
    begin_transfer(id, handshake_seconds(message));
}

/// From now, when both sides are ready, to when the data set out. The announcement may be under way since long.
double Simulation::handshake_seconds(const Message& message) {
  const double known_seconds =
      message.ready_seconds + transport_of(message).announcement_seconds(message.links_seconds);
  return std::max(known_seconds - now(), 0.0) + transport_of(message).clearance_seconds(message.links_seconds);
}

/// Leaves the sender: its first byte is at the receiver after the handshake and the latencies on the way.
void Simulation::begin_transfer(std::uint32_t id, double handshake_seconds) {
  const Message& message = messages_[id];
  Path& path = paths_.between(message.from, message.to);
  if (!is_background(message.from)) path.carried_bytes += static_cast<double>(message.bytes);
  double delay = handshake_seconds + path.delay_seconds(*message.segment, message.bytes);
  const Transport& transport = transport_of(message);
  const bool may_be_lost = !message.eager && transport.retransmitted_share > 0 && symmetry_.is_trivial();
  const std::int64_t event = record_.of_message(id);
  if (event != TraceEvent::kNone) record_[event].started_seconds = now();
  if (may_be_lost && retransmissions_.loses_next(message.from, transport.retransmitted_share)) {
    record_.spend(event, Spent::On::latency, -1, now() + handshake_seconds);
    delay += transport.retransmission_seconds;
    record_.spend(event, Spent::On::retransmission, -1, now() + handshake_seconds + transport.retransmission_seconds);
  }
  if (delay > 0)
    plan(now() + delay, Event::Kind::transfer, id);
  else
    transfer(id);
}

/// Its bytes may flow, once those of earlier messages on the connection have.
void Simulation::transfer(std::uint32_t id) {
  Message& message = messages_[id];
  spend(record_.of_message(id), Spent::On::latency, -1);
  if (message.bytes == 0) return arrive(id);
  message.takes_turns = transport_of(message).half_duplex_above_bytes == 0;
  queue_flow(id);
}

void Simulation::queue_flow(std::uint32_t id) {
  if (connections_.push(messages_, id)) start_flow(id);
}

void Simulation::start_flow(std::uint32_t id) {
  if (congestion_) {
    const Path& path = paths_.between(messages_[id].from, messages_[id].to);
    if (const std::optional<double> until = congestion_->wait(id, path.from, paths_.links(path), now()))
      return plan(*until, Event::Kind::tree_passes, id);
  }
  flow(id);
}

void Simulation::flow(std::uint32_t id) {
  const Message& message = messages_[id];
  const std::int64_t both_ways = std::min(message.bytes, transport_of(message).half_duplex_above_bytes),
                     bytes = message.takes_turns ? message.bytes - both_ways : both_ways;
  const Path& path = paths_.between(message.from, message.to);
  spend(record_.of_message(id), Spent::On::connection, message.from);
  const double packing = message.packed ? 1 / messages_.details(id).packing_seconds_per_byte : INFINITY,
               cap = std::min({packing, path.rate_cap(*message.segment),
                               // Of the flows of one connection one goes at a time.
                               transport_of(message).connection_bytes_per_second});
  if (path.hops > 0)
    start(id, path, bytes, cap);
  else
    plan(now() + static_cast<double>(bytes) / cap, Event::Kind::flow_over, id);
}

void Simulation::start(std::uint32_t flow, const Path& path, std::int64_t bytes, double rate_cap) {
  if (++flows_ > network_.most_flows())
    throw ExperimentRefused(choice_.algorithm->full_name() + " on " + std::to_string(experiment_.c.ranks) +
                            " ranks has more than " + std::to_string(network_.most_flows()) +
                            " messages under way at once, which this engine cannot bear");
  std::span<const LinkId> links = paths_.links(path);
  if (congestion_ && !(flow & kLocalFlow)) congestion_->begin(flow, path.from, path.to, links);
  const auto& core = experiment_.core_of_rank;
  network_.start(flow, core[path.from], core[path.to], links, bytes, rate_cap);
}

void Simulation::settle_congestion() {
  const Congestion::Settled settled = congestion_->settle(now());
  if (settled.stands) {
    plan(*settled.stands, Event::Kind::tree_stands, 0);
    network_.wake_at(origin_seconds_ + *settled.stands);
  }
  for (const std::uint32_t free : settled.free) flow(free);
}

void Simulation::flow_over(std::uint32_t id) {
  if (record_ && paths_.between(messages_[id].from, messages_[id].to).hops == 0)
    spend(record_.of_message(id), Spent::On::rate, -1);
  if (congestion_) congestion_->end(id);
  const std::uint32_t next = connections_.pop(messages_, id);
  Message& message = messages_[id];
  if (message.takes_turns || message.bytes <= transport_of(message).half_duplex_above_bytes) {
    arrive(id);
  } else {
    message.takes_turns = true;
    queue_flow(id);
  }
  if (next != Messages::kNone) start_flow(next);
}

/// All its bytes are at the receiver.
void Simulation::arrive(std::uint32_t id) {
  Message& message = messages_[id];
  message.arrived = true;
  record_.end(record_.of_message(id), now());
  if (data_ && !message.eager) messages_.details(id).parcel = data_.pack(message.send_op);
  if (!message.eager || (transport_of(message).is_acknowledged(message.bytes) && !ends_when_received(message)))
    end_send(message);
  if (message.wanted) take_in(id);
}

}  // namespace tutti
