#pragma once

#include <random>

#include "base/sizes.hpp"
#include "tests/neighbors.hpp"
#include "tests/sim/machines.hpp"
#include "topologies/dragonfly.hpp"
#include "topologies/torus.hpp"

namespace tutti::test {

/// Whether costs are round or nothing, so that much happens at one instant, or hardly anything does.
enum class Ties : bool { many, few };

/// Random machines and experiments: the same ones for the same seed.
class Draw {
 public:
  explicit Draw(unsigned seed, Ties ties = Ties::many) : random_(seed), ties_(ties) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  int among(std::initializer_list<int> values) { return values.begin()[below(static_cast<int>(values.size()))]; }
  bool often() { return below(3) > 0; }
  double seconds() {
    if (ties_ == Ties::few) return 1e-14 * (1 + below(200'000'000));
    return often() ? 1e-8 * below(200) : 0;
  }
  double bandwidth() { return 1e8 * (1 + below(500)); }
  Channel channel() { return {bandwidth(), seconds(), below(8) > 0}; }

 private:
  std::mt19937 random_;
  Ties ties_;
};

inline NodeShape draw_node(Draw& draw) {
  NodeShape node;
  node.sockets = draw.among({1, 2});
  node.domains_per_socket = draw.among({1, 2});
  node.caches_per_domain = draw.among({1, 2});
  node.cores_per_cache = draw.among({1, 2, 3});
  if (draw.often()) node.core = draw.channel();
  if (draw.often()) node.cache = draw.channel();
  if (draw.often()) node.memory = draw.channel();
  if (draw.often()) node.domain_link = draw.channel();
  if (draw.often()) node.socket_link = draw.channel();
  const int domains = node.sockets * node.domains_per_socket, nics = draw.among({1, 1, 2});
  for (int nic = 0; nic < nics; ++nic) {
    node.nics.push_back({nic % domains, draw.channel(), {}});
    if (draw.below(4) == 0)
      node.nics.back().both_directions_bytes_per_second = 1.5 * node.nics.back().cable.bandwidth_bytes_per_second;
  }
  if (node.cores_per_cache == 3 && nics == 2) {
    node.nic_policy = NicPolicy::in_turn;
    node.injection_bytes_per_second = 0.8 * node.nics.front().cable.bandwidth_bytes_per_second;
  }
  return node;
}

inline Routing draw_routing(Draw& draw) {
  return draw.often() ? Routing::fixed : draw.often() ? Routing::adaptive : Routing::hashed;
}

inline std::unique_ptr<const Fabric> draw_fabric(Draw& draw) {
  switch (draw.below(3)) {
    case 0: {
      FatTreeShape shape{draw.among({1, 2, 4}), {}, 0};
      for (int layers = draw.below(3); layers > 0; --layers)
        shape.layers.push_back({draw.among({2, 3}), draw.among({1, 2, 3}), draw.among({1, 2}), draw.channel()});
      shape.routing = draw_routing(draw);
      return std::make_unique<FatTree>(shape);
    }
    case 1: {
      DragonflyShape shape;
      shape.groups = draw.among({2, 3, 5});
      shape.routers_per_chassis = draw.among({2, 4});
      shape.nodes_per_router = draw.among({1, 2});
      shape.local = draw.channel();
      shape.chassis = draw.channel();
      shape.global = draw.channel();
      shape.routing = draw_routing(draw);
      if (shape.routing == Routing::adaptive) shape.detour_share = draw.among({0, 0, 1, 2}) / 4.0;
      return std::make_unique<Dragonfly>(shape);
    }
    default:
      break;
  }
  return std::make_unique<Torus>(TorusShape{{draw.among({2, 3, 5}), draw.among({2, 4})}, 1, draw.channel()});
}

inline Machine draw_machine(Draw& draw) {
  Machine machine = free_machine(draw_node(draw), draw_fabric(draw));
  for (auto& transport : machine.transports) {
    transport->send_overhead_seconds = draw.seconds();
    transport->receive_overhead_seconds = draw.seconds();
    transport->gap_seconds = draw.seconds();
    transport->segments = {{4096, draw.seconds(), draw.bandwidth()},
                           {std::numeric_limits<std::int64_t>::max(), draw.seconds(), draw.bandwidth()}};
    transport->eager_limit_bytes = draw.among({0, 1024, 16384, 1 << 30});
    transport->rendezvous_seconds = draw.seconds();
    transport->receiver_reads = transport->eager_limit_bytes == 1024;
    transport->acknowledged_above_bytes = transport->eager_limit_bytes == 16384 ? 192 : 0;
    transport->acknowledgement_seconds = transport->rendezvous_seconds / 2;
  }
  machine.compute.copy = machine.compute.reduce = {draw.seconds(), 1 / draw.bandwidth(), 1 << 16, 1 / draw.bandwidth()};
  if (draw.often()) machine.compute.request_seconds = draw.seconds();
  machine.compute.packs = draw.often();
  return machine;
}

inline Experiment draw_experiment(Draw& draw, const Machine& machine) {
  for (;;) {
    const auto& all = registry();
    const Algorithm& algorithm = all[static_cast<std::size_t>(draw.below(static_cast<int>(all.size())))];
    const int ranks = std::min(draw.among({1, 2, 3, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31}), machine.network->cores());
    Case c{algorithm.collective(), ranks, 0, default_element_bytes(algorithm.collective()), 0, false, Operator::sum};
    const int bytes = draw.among({0, 4, 64, 1000, 4096, 20'000, 65'536, 1'000'000}) / 4 * 4;
    c.count = count_for_total_bytes(c.collective, ranks, c.element_bytes, bytes);
    c.root = is_rooted(c.collective) ? draw.below(ranks) : 0;
    c = among_some_neighbors(c);
    const Choice choice = default_choice(algorithm);
    if (!why_not(choice, c).empty()) continue;
    Experiment one{c, choice, {}, {}, 1, true};
    const int stride = 1 + draw.below(machine.network->cores() / ranks);
    for (int rank = 0; rank < ranks; ++rank) one.core_of_rank.push_back(rank * stride);
    return one;
  }
}

}  // namespace tutti::test
