#pragma once

#include <numeric>
#include <random>

#include "sim/fast/contention_free.hpp"
#include "sim/fast/max_min_network.hpp"
#include "sim/simulation.hpp"
#include "topologies/fat_tree.hpp"

namespace tutti::test {

/// The machine's nodes on one switch, with nothing shared: every flow gets what its links could give it alone.
inline Machine without_contention(Machine machine, int nodes) {
  NodeShape node = machine.network->node_shape();
  for (auto* channel : {&node.core, &node.cache, &node.memory, &node.domain_link, &node.socket_link})
    if (*channel) (*channel)->shared = false;
  for (Nic& nic : node.nics) {
    nic.cable.shared = false;
    nic.both_directions_bytes_per_second.reset();
  }
  node.injection_bytes_per_second.reset();
  machine.network = std::make_shared<Network>(node, std::make_unique<FatTree>(FatTreeShape{nodes, {}, 0}));
  return machine;
}

/// One node whose cores have nothing but what a message costs itself.
inline Machine without_links(Machine machine) {
  NodeShape node = machine.network->node_shape();
  for (auto* channel : {&node.core, &node.cache, &node.memory, &node.domain_link, &node.socket_link}) channel->reset();
  node.nics.clear();
  node.injection_bytes_per_second.reset();
  machine.network = std::make_shared<Network>(node, std::make_unique<FatTree>(FatTreeShape{1, {}, 0}));
  return machine;
}

/// The machine with every figure of its messages and computing changed a little, at random: no two sums of different
/// figures are equal, so that nothing happens at one instant by chance.
inline Machine detuned(Machine machine, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> factor(0.8, 1.25);
  for (auto& transport : machine.transports) {
    if (!transport) continue;
    for (double* figure : {&transport->send_overhead_seconds, &transport->receive_overhead_seconds,
                           &transport->gap_seconds, &transport->rendezvous_seconds})
      *figure *= factor(random);
    for (Segment& segment : transport->segments) {
      segment.latency_seconds *= factor(random);
      segment.bandwidth_bytes_per_second *= factor(random);
    }
  }
  for (Compute::Rate* rate : {&machine.compute.reduce, &machine.compute.copy})
    for (double* figure : {&rate->overhead_seconds, &rate->seconds_per_byte, &rate->seconds_per_byte_out_of_cache})
      *figure *= factor(random);
  return machine;
}

/// `ranks` ranks on every stride-th core.
inline std::vector<int> spread(int ranks, int stride) {
  std::vector<int> cores(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) cores[static_cast<std::size_t>(r)] = r * stride;
  return cores;
}

/// What the event loop gives.
inline Result in_order_of_time(const Machine& machine, const Experiment& experiment) {
  fast::MaxMinNetwork flows(machine);
  return Simulation(machine, experiment, flows).run();
}

}  // namespace tutti::test
