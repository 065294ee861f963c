#include "bench/link_models/train_flows.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sim/time_grid.hpp"

namespace tutti {

TrainFlows::TrainFlows(const Machine& machine, std::int64_t train_bytes, int trains_under_way)
    : train_bytes_(train_bytes), trains_under_way_(trains_under_way) {
  for (const Link& link : machine.network->links())
    servers_.push_back({1 / link.bandwidth_bytes_per_second, link.shared, 0});
}

void TrainFlows::wake_at(double seconds) { wake_at_ = std::min(wake_at_, seconds); }

void TrainFlows::plan(double seconds, Event::Kind kind, std::uint32_t id) {
  events_.push(on_grid(seconds), {kind, id});
}

void TrainFlows::start(std::uint32_t name, int /*from_core*/, int /*to_core*/, std::span<const LinkId> links,
                       std::int64_t bytes, double rate_cap) {
  if (links.size() > stride_) throw std::logic_error("TrainFlows: no machine here has ways of more than 16 links");
  const std::uint32_t id = flows_.take();
  if (ways_.size() < flows_.size() * stride_) ways_.resize(flows_.size() * stride_);
  Flow& flow = flows_[id];
  flow = {.name = name, .bytes_left = bytes, .seconds_per_byte = 1 / rate_cap, .may_send_seconds = now_};
  for (const LinkId link : links) {
    flow.seconds_per_byte = std::max(flow.seconds_per_byte, servers_[link].seconds_per_byte);
    if (servers_[link].shared) ways_[id * stride_ + flow.hops++] = link;
  }
  for (int i = 0; i < trains_under_way_; ++i) send_train(id);
}

void TrainFlows::run(FlowListener& listener) {
  for (;;) {
    const double next = std::min(wake_at_, events_.empty() ? wake_at_ : events_.next_seconds());
    if (std::isinf(next)) return;
    now_ = std::max(now_, next);
    while (!events_.empty() && events_.next_seconds() <= now_) handle(events_.pop(), listener);
    if (wake_at_ > now_) continue;
    wake_at_ = std::numeric_limits<double>::infinity();
    listener.wake();
  }
}

void TrainFlows::handle(const Event& event, FlowListener& listener) {
  switch (event.kind) {
    case Event::Kind::transfer:
      return pass_on(event.id);
    case Event::Kind::flow_over:
      return arrive(event.id, listener);
    default:
      throw std::logic_error("TrainFlows: an event that it does not plan");
  }
}

/// One more train, if there is one, as soon as the cap allows it.
void TrainFlows::send_train(std::uint32_t id) {
  Flow& flow = flows_[id];
  if (flow.bytes_left == 0) return;
  ++flow.under_way;
  const auto bytes = static_cast<double>(std::min(flow.bytes_left, train_bytes_));
  const double seconds = std::max(now_, flow.may_send_seconds);
  flow.may_send_seconds = seconds + bytes * flow.seconds_per_byte;
  flow.bytes_left -= static_cast<std::int64_t>(bytes);
  const std::uint32_t train = trains_.take();
  trains_[train] = {.flow = id, .hop = 0, .bytes = bytes, .last_byte_seconds = flow.may_send_seconds};
  plan(seconds, Event::Kind::transfer, train);
}

/// The train's first byte comes to the next link on its way.
void TrainFlows::pass_on(std::uint32_t id) {
  Train& train = trains_[id];
  const Flow& flow = flows_[train.flow];
  while (train.hop < flow.hops) {
    Server& server = servers_[ways_[train.flow * stride_ + train.hop++]];
    const double begin = std::max(now_, server.free_seconds);
    server.free_seconds = begin + train.bytes * server.seconds_per_byte;
    train.last_byte_seconds = std::max(train.last_byte_seconds, server.free_seconds);
    if (begin > now_ && train.hop < flow.hops) return plan(begin, Event::Kind::transfer, id);
  }
  plan(train.last_byte_seconds, Event::Kind::flow_over, id);
}

void TrainFlows::arrive(std::uint32_t id, FlowListener& listener) {
  const std::uint32_t of = trains_[id].flow;
  trains_.give_back(id);
  --flows_[of].under_way;
  send_train(of);
  if (flows_[of].under_way > 0) return;
  const std::uint32_t name = flows_[of].name;
  flows_.give_back(of);
  listener.flow_finished(name);
}

}  // namespace tutti
