#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "models/machine.hpp"
#include "sim/engine.hpp"
#include "topologies/fat_tree.hpp"

namespace tutti::test {

inline constexpr double kBandwidth = 1e9, kLatency = 1e-6;
inline constexpr std::int64_t kMegabyte = 1'000'000;
inline constexpr double kTransfer = kMegabyte / kBandwidth;  // 1 ms
inline constexpr double kExact = 1e-9;                       // a nanosecond

/// Messages cost what their links cost and nothing else.
inline Transport free_transport() {
  return {0, 0, 0, {{std::numeric_limits<std::int64_t>::max(), 0, 1e15}}, std::numeric_limits<std::int64_t>::max(), 0};
}

inline Machine free_machine(const NodeShape& node, std::unique_ptr<const Fabric> fabric) {
  Machine machine;
  machine.name = "test";
  machine.network = std::make_shared<Network>(node, std::move(fabric));
  machine.transports.fill(free_transport());
  const Compute::Rate free{0, 0, std::numeric_limits<std::int64_t>::max(), 0};
  machine.compute = {free, free};
  return machine;
}

/// One core a node; a NIC of 1 GB/s and half a microsecond at each end of a message.
inline NodeShape one_core_node() {
  NodeShape node;
  node.nics = {{0, {kBandwidth, kLatency / 2, true}, {}}};
  return node;
}

inline Machine crossbar(int nodes) {
  return free_machine(one_core_node(), std::make_unique<FatTree>(FatTreeShape{nodes, {}, 0}));
}

/// Jobs of more than so many ranks have what `change` makes of the network's transport.
template <class Change>
Machine with_larger_jobs(Machine machine, int more_ranks_than, Change change) {
  Machine larger = machine;
  change(*larger.transports[static_cast<std::size_t>(Distance::network)]);
  machine.larger_jobs = std::make_shared<const Machine>(std::move(larger));
  machine.larger_job_ranks = more_ranks_than;
  return machine;
}

inline std::vector<int> cores(int n) {
  std::vector<int> all;
  for (int i = 0; i < n; ++i) all.push_back(i);
  return all;
}

inline Experiment experiment(Collective collective, const std::string& choice, int ranks, Count count) {
  return {{collective, ranks, count, 1, 0, false, Operator::sum},
          parse_choice(collective, choice),
          cores(ranks),
          {},
          1,
          false};
}

inline Result run(const std::string& engine, const Machine& machine, const Experiment& one) {
  return make_engine(engine)->run(machine, std::span(&one, 1)).front();
}

/// Of one message on an idle machine: from when both sides are ready, and the receiver knows, to the last byte's being
/// there.
inline double idle_seconds(const Machine& machine, int from, int to, std::int64_t bytes) {
  const Transport& transport = machine.transport(machine.network->distance(from, to));
  std::vector<LinkId> route;
  machine.network->route(from, to, route);
  double links_seconds = 0;
  for (const LinkId link : route) links_seconds += machine.network->links()[link].latency_seconds;
  const bool eager = transport.is_eager(bytes, true);
  return machine.message_seconds(from, to, bytes) - transport.send_seconds(bytes, true) -
         transport.receive_seconds(bytes, eager) - (eager ? 0 : transport.announcement_seconds(links_seconds));
}

/// TEST_P of a suite that holds for every engine; its name ends with the engine's.
#define TUTTI_ON_EVERY_ENGINE(suite)                                          \
  using suite = testing::TestWithParam<std::string>;                          \
  INSTANTIATE_TEST_SUITE_P(Engines, suite, testing::ValuesIn(engine_names()), \
                           [](const auto& each) { return each.param; })

}  // namespace tutti::test
