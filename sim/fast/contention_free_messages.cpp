#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "sim/fast/contention_free.hpp"
#include "sim/time_grid.hpp"

namespace tutti::fast {
namespace {

PairKey connection_key(Rank to, Rank from) {
  return {static_cast<std::uint64_t>(to), static_cast<std::uint64_t>(from)};
}

}  // namespace

// --- what a message costs
// ---------------------------------------------------------------------------------------------

void ContentionFreeSimulation::number_levels() {
  const auto links = machine_.network->links();
  for (const Link& link : links) {
    const auto found = std::find(levels_.begin(), levels_.end(), link.level);
    level_of_link_.push_back(static_cast<std::uint8_t>(found - levels_.begin()));
    if (found == levels_.end()) levels_.push_back(link.level);
  }
  level_bytes_.assign(levels_.size(), 0.0);
  const int core = experiment_.core_of_rank.front();
  machine_.network->route(core, core, route_);
  for (const LinkId link : route_) {
    const double bandwidth = links[link].bandwidth_bytes_per_second;
    memory_bytes_per_second_ = memory_bytes_per_second_ > 0 ? std::min(memory_bytes_per_second_, bandwidth) : bandwidth;
  }
}

/// Sets the rank's `way`.
void ContentionFreeSimulation::find_way(Rank from, Rank to, std::int64_t bytes, bool blocking) {
  Way& way = state_of(from).way;
  if (way.to == to && way.bytes == bytes && way.blocking == blocking) {
    ++way.repeats;
    return;
  }
  count_repeats(from, way);
  if (way.to != to) change_connection(from, to);
  const int from_core = experiment_.core_of_rank[from];
  const int to_core = experiment_.core_of_rank[to];
  const auto links = machine_.network->links();
  const double amount = static_cast<double>(bytes);
  way.distance = machine_.network->distance(from_core, to_core);
  const Transport& transport = *transports_[static_cast<std::size_t>(way.distance)];
  const Segment& segment = transport.segment(bytes);
  way.to = to;
  way.bytes = bytes;
  if (from == to) irregular_ = true;                                 // nothing is known of when it may send to itself
  if (bytes > transport.half_duplex_above_bytes) irregular_ = true;  // takes turns with another rank's messages
  way.blocking = blocking;
  way.eager = transport.is_eager(bytes, blocking);
  Route links_of_way;
  links_of_way.by_adapters = way.distance == Distance::network;
  machine_.network->route(from_core, to_core, route_);
  for (const LinkId link : route_) {
    links_of_way.add(links[link]);
    level_bytes_[level_of_link_[link]] += amount;
  }
  way.links_seconds = links_of_way.latency_seconds;
  way.delay_seconds =
      (way.eager ? 0 : transport.clearance_seconds(way.links_seconds)) + links_of_way.delay_seconds(segment, bytes);
  way.flow_seconds = amount / std::min(links_of_way.rate_cap(segment), links_of_way.narrowest);
}

/// The bytes of messages that went the same way as the one before.
void ContentionFreeSimulation::count_repeats(Rank from, Way& way) {
  const double amount = static_cast<double>(std::exchange(way.repeats, 0)) * static_cast<double>(way.bytes);
  if (amount == 0 || levels_.empty()) return;
  const auto& core = experiment_.core_of_rank;
  machine_.network->route(core[from], core[way.to], route_);
  for (const LinkId link : route_) level_bytes_[level_of_link_[link]] += amount;
}

// --- connections
// -----------------------------------------------------------------------------------------------------

/// The rank's connection becomes the one to `to`. One is kept aside if a later message on it might have to wait for it.
void ContentionFreeSimulation::change_connection(Rank from, Rank to) {
  RankState& rank = state_of(from);
  const auto may_matter = [&](const RankState& sender, const Connection& connection) {
    return connection.open > 0 || connection.busy_until_seconds > std::max(sender.now_seconds, sender.free_seconds);
  };
  if (may_matter(rank, rank.connection)) {
    if (connections_.full())
      connections_.keep_if(
          [&](const auto& kept) { return may_matter(state_of(static_cast<Rank>(kept.key.second)), kept.value); });
    connections_.at(connection_key(rank.way.to, from)).value = rank.connection;
  }
  const auto* kept = connections_.find(connection_key(to, from));
  rank.connection = kept ? kept->value : Connection{};
  if (kept) connections_.erase(*kept);
}

/// When the last byte is there of a message whose bytes may flow from then on.
double ContentionFreeSimulation::flow(Connection& connection, double transfer_seconds, double flow_seconds) {
  if (flow_seconds == 0) return transfer_seconds;  // no bytes
  if (transfer_seconds < connection.latest_transfer_seconds) irregular_ = true;
  connection.latest_transfer_seconds = transfer_seconds;
  connection.busy_until_seconds = after(std::max(transfer_seconds, connection.busy_until_seconds), flow_seconds);
  return connection.busy_until_seconds;
}

// --- matching
// --------------------------------------------------------------------------------------------------------

ContentionFreeSimulation::Channel* ContentionFreeSimulation::find_channel(Rank to, Rank from, std::uint64_t key) {
  RankState& rank = state_of(to);
  for (Channel& channel : rank.channels)
    if (channel.from == from && channel.key == key) return &channel;
  if (rank.channels_elsewhere == 0) return nullptr;
  auto* const elsewhere = channels_.find({pair_number(to, from), key});
  return elsewhere ? &elsewhere->value : nullptr;
}

/// Puts a half into its channel, which is nullptr if it has to be opened.
ContentionFreeSimulation::Channel& ContentionFreeSimulation::append(Rank to, Rank from, std::uint64_t key,
                                                                    Channel* channel, const Half& half,
                                                                    bool is_message) {
  const std::uint32_t index = halves_.take();
  halves_[index] = half;
  if (!channel) {
    RankState& rank = state_of(to);
    const auto place =
        std::find_if(rank.channels.begin(), rank.channels.end(), [](const Channel& c) { return c.from < 0; });
    if (place == rank.channels.end()) {
      ++rank.channels_elsewhere;
      channel = &channels_.at({pair_number(to, from), key}).value;
    } else {
      channel = &*place;
    }
    *channel = {key, from, index, index, 0, is_message};
  } else {
    halves_[channel->last].next = index;
    channel->last = index;
  }
  ++channel->halves;
  return *channel;
}

/// The first half of a channel, which is closed with the last one.
ContentionFreeSimulation::Half ContentionFreeSimulation::take(Rank to, Channel& channel) {
  const Half half = halves_[channel.first];
  halves_.give_back(channel.first);
  channel.first = half.next;
  if (--channel.halves > 0) return half;
  RankState& rank = state_of(to);
  const Rank from = std::exchange(channel.from, -1);
  const std::less<const Channel*> before;  // also where one is no part of the other's array
  if (before(&channel, rank.channels.data()) || !before(&channel, rank.channels.data() + rank.channels.size())) {
    --rank.channels_elsewhere;
    channels_.erase(*channels_.find({pair_number(to, from), channel.key}));
  }
  return half;
}

/// An unknown operation is unknown no more.
void ContentionFreeSimulation::learn(std::uint32_t slot) {
  const Operation& op = operations_[slot];
  RankState& rank = state_of(op.rank());
  const bool counted = op.kind == Operation::Kind::receive || op.sleeper != kNone;
  if (counted) --rank.open;
  if (op.listed) wake(op.rank());
  if (op.sleeper != kNone && --sleepers_[op.sleeper].unknown == 0)
    wake(op.rank());
  else if (counted && rank.open == 0)
    wake(op.rank());
}

/// Both sides of a rendezvous are ready at `start`; ranks as the sender names them. Returns when the message is there.
double ContentionFreeSimulation::meet(Rank from, Rank to, std::uint32_t index, double start_seconds,
                                      std::uint32_t receive) {
  const Rendezvous message = rendezvous_[index];
  rendezvous_.give_back(index);
  RankState& sender = state_of(from);
  Connection& connection = sender.way.to == to ? sender.connection : connections_.find(connection_key(to, from))->value;
  --connection.open;
  const double arrival = flow(connection, after(start_seconds, message.delay_seconds), message.flow_seconds);
  if (data_) data_.bring(receive, data_.pack(message.send_op));
  learn(message.send_op);
  finalize(message.send_op, after(arrival, message.send_end_seconds));
  return arrival;
}

// --- sends and receives
// ------------------------------------------------------------------------------------------------

Op ContentionFreeSimulation::post_send(CallScope& scope, const Outgoing& message, const DataMoves::Move& move) {
  const std::uint32_t slot = open_op(scope, Operation::Kind::send, message.to, message.bytes);
  Operation& op = operations_[slot];
  op.lane = static_cast<std::uint8_t>(message.lane);
  op.blocking = message.blocking;
  op.packs = message.packing_seconds_per_byte > 0;
  op.seconds_per_byte = message.packing_seconds_per_byte;
  if (data_) data_.post(slot, move);
  post(state_of(scope.rank), slot);
  return op_at(slot);
}

/// The processor sends the message off.
void ContentionFreeSimulation::inject(RankState& rank, std::uint32_t slot) {
  const Operation& op = operations_[slot];
  const Rank from = op.rank(), to = op.peer;
  find_way(from, to, op.bytes, op.blocking);
  const Way& way = rank.way;
  const Transport& transport = *transports_[static_cast<std::size_t>(way.distance)];
  const double start = std::max(rank.now_seconds, rank.free_seconds), begin = std::max(start, rank.gap_over_seconds);
  rank.gap_over_seconds = begin + transport.gap_seconds;
  const double ready = after(start, begin - start + transport.send_seconds(op.bytes, op.blocking));
  const double end_seconds = transport.send_end_seconds(op.bytes, way.eager, way.links_seconds);
  rank.free_seconds = op.packs && !way.eager ? worked(ready, machine_.compute.copy.overhead_seconds, op) : ready;

  Half half{ready, kNone, of_eager(way.distance, 0)};
  const std::uint64_t key = match_key(*op.scope, op.lane);
  if (way.eager) {
    half.seconds = flow(rank.connection, after(ready, way.delay_seconds), way.flow_seconds);
    if (data_) half.what = of_eager(way.distance, data_.pack(slot));
    learn(slot);
    finalize(slot, transport.is_acknowledged(op.bytes) ? after(half.seconds, end_seconds) : ready);
  } else {
    const std::uint32_t index = rendezvous_.take();
    // Bytes flow no faster than they are copied together.
    const double flow_seconds =
        op.packs ? std::max(way.flow_seconds, static_cast<double>(op.bytes) * op.seconds_per_byte) : way.flow_seconds;
    rendezvous_[index] = {way.delay_seconds, flow_seconds, end_seconds, slot, kNone, way.distance};
    half.seconds = after(ready, transport.announcement_seconds(way.links_seconds));
    ++rank.connection.open;
    half.what = kRendezvous | index;
  }

  const auto [sender, receiver] = symmetry_.as_received(from, to);
  Channel* channel = find_channel(receiver, sender, key);
  if (!channel || channel->holds_messages) {
    rank.ahead |= append(receiver, sender, key, channel, half, true).halves >= kMostAhead;
    return;
  }
  const Half receive = take(receiver, *channel);
  operations_[receive.what].distance = static_cast<std::uint8_t>(way.distance);
  operations_[receive.what].eager = way.eager;
  if (!way.eager)
    half.seconds = meet(from, to, half.what & ~kRendezvous, std::max(half.seconds, receive.seconds), receive.what);
  else if (data_)
    data_.bring(receive.what, half.what / kParcel);
  late_ |= !operations_[receive.what].listed && half.seconds < state_of(receiver).now_seconds - 1e-12;
  learn(receive.what);
  arrives(receive.what, half.seconds);
}

Op ContentionFreeSimulation::post_receive(CallScope& scope, const Awaited& awaited, const DataMoves::Move& move) {
  const std::uint32_t slot = open_op(scope, Operation::Kind::receive, awaited.from, awaited.bytes);
  operations_[slot].at_end = awaited.at_end;
  operations_[slot].seconds_per_byte = awaited.at_end_seconds_per_byte;
  if (data_) data_.post(slot, move);
  RankState& rank = state_of(scope.rank);
  const Rank from = awaited.from;
  const std::uint64_t key = match_key(scope, awaited.lane);
  Channel* channel = find_channel(scope.rank, from, key);
  if (!channel || !channel->holds_messages) {
    append(scope.rank, from, key, channel, {rank.now_seconds, kNone, slot}, false);
    ++rank.open;
    list(rank, slot);
    return op_at(slot);
  }
  if (!settle(rank) || rank.posted_first != kNone) list(rank, slot);
  const Half message = take(scope.rank, *channel);
  double arrival = message.seconds;
  operations_[slot].distance = static_cast<std::uint8_t>(message.what % kParcel);
  if (message.what & kRendezvous) {
    const std::uint32_t index = message.what & ~kRendezvous;
    operations_[slot].eager = false;
    operations_[slot].distance = static_cast<std::uint8_t>(rendezvous_[index].distance);
    const auto [sender, receiver] = symmetry_.as_sent(from, scope.rank);
    arrival = meet(sender, receiver, index, std::max(message.seconds, rank.now_seconds), slot);
  } else if (data_) {
    data_.bring(slot, message.what / kParcel);
  }
  arrives(slot, arrival);
  return op_at(slot);
}

}  // namespace tutti::fast
