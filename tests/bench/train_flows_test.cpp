#include "bench/link_models/train_flows.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "topologies/fat_tree.hpp"

namespace tutti {
namespace {

constexpr double kBandwidth = 1e9, kInfinity = std::numeric_limits<double>::infinity();

/// Nodes of one core and one adapter, joined by a switch that costs nothing.
Machine crossbar(int nodes) {
  NodeShape node;
  node.nics = {{0, {kBandwidth, 0, true}, {}}};
  Machine machine;
  machine.network = std::make_shared<Network>(node, std::make_unique<FatTree>(FatTreeShape{nodes, {}, 0}));
  return machine;
}

struct Message {
  double start_microseconds;
  int from, to;
  std::int64_t bytes;
  double cap = kInfinity;
};

/// Starts messages, in order of time, and notes when they end.
class Recorder final : public FlowListener {
 public:
  Recorder(const Machine& machine, FlowNetwork& network, const std::vector<Message>& messages)
      : machine_(machine), network_(network), messages_(messages), microseconds(messages.size()) {
    network.wake_at(0);
    network.run(*this);
  }
  void flow_finished(std::uint32_t flow) override { microseconds[flow] = network_.now_seconds() * 1e6; }
  void wake() override {
    for (; next_ < messages_.size(); ++next_) {
      const Message& message = messages_[next_];
      const double start = message.start_microseconds * 1e-6;
      if (start > network_.now_seconds()) return network_.wake_at(start);
      machine_.network->route(message.from, message.to, route_);
      network_.start(static_cast<std::uint32_t>(next_), message.from, message.to, route_, message.bytes, message.cap);
    }
  }

 private:
  const Machine& machine_;
  FlowNetwork& network_;
  const std::vector<Message>& messages_;
  std::vector<LinkId> route_;
  std::size_t next_ = 0;

 public:
  std::vector<double> microseconds;
};

void expect_ends(std::int64_t train_bytes, int under_way, const std::vector<Message>& messages,
                 const std::vector<double>& microseconds) {
  const Machine machine = crossbar(4);
  TrainFlows flows(machine, train_bytes, under_way);
  const Recorder recorder(machine, flows, messages);
  for (std::size_t i = 0; i < messages.size(); ++i)
    EXPECT_NEAR(recorder.microseconds[i], microseconds[i], 1e-6) << "message " << i << ", trains of " << train_bytes;
}

// A byte takes a nanosecond, so that 1000 bytes take a microsecond.

TEST(TrainFlows, ALoneMessageTakesAsLongAsOverOneLinkWhateverItIsCutInto) {
  for (const std::int64_t train_bytes : {std::int64_t{1000}, std::int64_t{3000}, TrainFlows::kWholeMessages})
    for (const int under_way : {1, 2, 4}) expect_ends(train_bytes, under_way, {{5, 0, 1, 10'000}}, {15});
}

TEST(TrainFlows, WholeMessagesAreServedFirstComeFirstServed) {
  // From one node to two: the second one waits for all of the first, which is longer.
  expect_ends(TrainFlows::kWholeMessages, 2, {{0, 0, 1, 10'000}, {1, 0, 2, 1'000}}, {10, 11});
}

TEST(TrainFlows, TrainsOfMessagesOnOneLinkTakeTurns) {
  // a b a b a b a a: those of b end at 2, 4 and 6.
  for (const int under_way : {1, 2}) expect_ends(1000, under_way, {{0, 0, 1, 5'000}, {0, 0, 2, 3'000}}, {8, 6});
  // Who comes while a train is served waits for that one alone.
  expect_ends(1000, 1, {{0, 0, 1, 10'000}, {0.5, 0, 2, 1'000}}, {11, 2});
}

TEST(TrainFlows, WhereTwoSendToOneEachGetsHalf) {
  // The first trains set out at once, over links of their own; at the receiver they take turns.
  expect_ends(1000, 1, {{0, 0, 2, 4'000}, {0, 1, 2, 4'000}}, {7, 8});
  expect_ends(TrainFlows::kWholeMessages, 1, {{0, 0, 2, 4'000}, {0, 1, 2, 4'000}}, {4, 8});
}

TEST(TrainFlows, AMessageIsNoFasterThanItsCapAndLeavesTheRestToOthers) {
  for (const int under_way : {1, 2}) {
    expect_ends(1000, under_way, {{0, 0, 1, 8'000, kBandwidth / 4}}, {32});
    // The first one's trains are served at 0, 4, 8, …: two of them before the other is done.
    expect_ends(1000, under_way, {{0, 0, 1, 8'000, kBandwidth / 4}, {0, 0, 2, 6'000}}, {32, 8});
  }
}

}  // namespace
}  // namespace tutti
