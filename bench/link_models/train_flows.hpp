#pragma once

#include <limits>
#include <vector>

#include "models/machine.hpp"
#include "sim/event_queue.hpp"
#include "sim/flow_network.hpp"
#include "sim/pool.hpp"

namespace tutti {

/// What fair shares are measured against: every link is a server that serves trains, pieces of a message of at most
/// `train_bytes`, one after the other in the order in which their first bytes come. Servers cut through: a train's
/// first byte goes on when its service begins, its last byte when that ends, or when it has come. A train is no faster
/// than the flow's cap and than any link on its way. Of a message, at most `trains_under_way` are; the next one sets
/// out when one has arrived, so that a long message never fills a queue that others have to stand in.
///
/// With trains as long as messages, links serve first come, first served (FIFO).
///
/// Used by one thread; the machine must outlive it.
class TrainFlows final : public FlowNetwork {
 public:
  static constexpr std::int64_t kWholeMessages = std::numeric_limits<std::int64_t>::max();

  TrainFlows(const Machine& machine, std::int64_t train_bytes, int trains_under_way = 2);

  double now_seconds() const override { return now_; }
  void start(std::uint32_t flow, int from_core, int to_core, std::span<const LinkId> links, std::int64_t bytes,
             double rate_cap) override;
  void wake_at(double seconds) override;
  std::size_t most_flows() const override { return std::numeric_limits<std::uint32_t>::max(); }
  void run(FlowListener& listener) override;

 private:
  struct Server {
    double seconds_per_byte = 0;
    bool shared = true;       // else it only limits what each train may have
    double free_seconds = 0;  // from then on it has nothing to do
  };
  struct Flow {
    std::uint32_t name = 0;  // the caller's
    std::uint32_t next = 0;  // while it is not used
    std::uint32_t hops = 0;  // shared links on its way
    int under_way = 0;       // trains
    std::int64_t bytes_left = 0;
    double seconds_per_byte = 0;  // of its cap
    double may_send_seconds = 0;  // from then on, as far as its cap goes
  };
  struct Train {
    std::uint32_t flow = 0;
    std::uint32_t next = 0;  // while it is not used
    std::uint32_t hop = 0;   // where its first byte is or comes to next
    double bytes = 0;
    double last_byte_seconds = 0;  // when the last byte comes there
  };

  void plan(double seconds, Event::Kind kind, std::uint32_t id);
  void handle(const Event& event, FlowListener& listener);
  void send_train(std::uint32_t flow);
  void pass_on(std::uint32_t train);
  void arrive(std::uint32_t train, FlowListener& listener);

  const std::int64_t train_bytes_;
  const int trains_under_way_;
  double now_ = 0, wake_at_ = std::numeric_limits<double>::infinity();
  std::vector<Server> servers_;  // by link
  Pool<Flow> flows_;
  Pool<Train> trains_;
  std::vector<LinkId> ways_;  // of each flow, `stride_` apart
  std::size_t stride_ = 16;   // the longest way that there is
  EventQueue events_;
};

}  // namespace tutti
