#include <cmath>
#include <map>

#include "algos/named_choice.hpp"
#include "sim/fast/find_symmetry.hpp"
#include "sim/fast/link_classes.hpp"
#include "sim/fast/max_min_network.hpp"
#include "sim/rank_groups.hpp"
#include "sim/simulation.hpp"
#include "tests/neighbors.hpp"
#include "tests/sim/fast/draw.hpp"

// Where some ranks stand for all, results are those of all.

namespace tutti::test {
namespace {

/// Nodes filled alike, from the machine's first on: mostly all of them, or whole subtrees.
Experiment draw_filled(Draw& draw, const Machine& machine) {
  for (;;) {
    const auto& all = registry();
    const Algorithm& algorithm = all[static_cast<std::size_t>(draw.below(static_cast<int>(all.size())))];
    const int most = machine.network->nodes(), share = draw.among({1, 1, 2, 3, 4});
    const int nodes = most % share == 0 ? most / share : most;
    const int per_node = 1 + draw.below(machine.network->cores_per_node());
    if (nodes * per_node < 2 || nodes * per_node > 64) return draw_experiment(draw, machine);
    Case c{algorithm.collective(), nodes * per_node, 0, default_element_bytes(algorithm.collective()), 0, false,
           Operator::sum};
    c.count = count_for_total_bytes(c.collective, c.ranks, c.element_bytes,
                                    std::int64_t{draw.among({0, 4, 1000, 64 * c.ranks, 20'000 * c.ranks})} / 4 * 4);
    c = among_some_neighbors(c);
    Choice choice = default_choice(algorithm);
    for (std::size_t i = 0; i < choice.parameters.size(); ++i)
      if (const auto& tried = algorithm.parameters()[i].tried; !tried.empty() && !draw.often())
        choice.parameters[i].second = tried[static_cast<std::size_t>(draw.below(static_cast<int>(tried.size())))];
    if (!why_not(choice, c).empty()) continue;
    if (absent_level(choice, levels_of(*machine.network))) continue;
    Experiment one{c, choice, {}, parse_mode(draw.often() ? "isolated" : "back-to-back:3"), 1, false};
    for (int rank = 0; rank < c.ranks; ++rank)
      one.core_of_rank.push_back(rank / per_node * machine.network->cores_per_node() + rank % per_node);
    return one;
  }
}

Result whole(const Machine& machine, const Experiment& one) {
  fast::MaxMinNetwork flows(machine);
  return Simulation(machine, one, flows).run();
}

double difference(const Result& a, const Result& b) {
  EXPECT_EQ(a.seconds_per_rank.size(), b.seconds_per_rank.size());
  double most = std::abs(a.makespan_seconds - b.makespan_seconds);
  for (std::size_t r = 0; r < a.seconds_per_rank.size(); ++r)
    most = std::max(most, std::abs(a.seconds_per_rank[r] - b.seconds_per_rank[r]));
  return most / std::max(1e-12, b.makespan_seconds);
}

std::string text(const Experiment& one, const Symmetry& symmetry) {
  return one.choice.algorithm->full_name() + " on " + std::to_string(one.c.ranks) + " ranks, " +
         std::to_string(total_bytes(one.c)) + " bytes, " + one.mode.text() + ", " +
         std::to_string(symmetry.ranks.blocks) + " blocks";
}

constexpr int kExperiments = 3000;

TEST(Symmetry, GivesWhatAllRanksGiveOnRandomMachines) {
  int reduced = 0, different = 0;
  std::map<BlockMoves::Kind, int> of_kind;
  for (int i = 0; i < kExperiments; ++i) {
    Draw draw(static_cast<unsigned>(i) + 1);
    Machine machine = draw_machine(draw);
    // Where messages take no time, it matters which rank begins first among those that begin at one instant.
    for (auto& transport : machine.transports)
      for (Segment& segment : transport->segments) segment.latency_seconds += 1e-9;
    // What real machines have, and what is the same for all ranks of few algorithms.
    machine.transports.back()->half_duplex_above_bytes = draw.often() ? INT64_MAX : draw.among({0, 1000, 100'000});
    if (!draw.often()) {
      machine.transports.back()->peer_change_send_gap_seconds = 1e-6 * draw.among({0, 1, 50});
      machine.transports.back()->peer_change_receive_gap_seconds = 1e-6 * draw.among({0, 1, 50});
    }
    if (draw.often())
      machine.compute.temporary = {1 / draw.bandwidth(), draw.among({1, 1000, 1 << 30}), draw.among({1, 1000, 1 << 30}),
                                   0, i % 3 == 0 ? 1e-5 : 0};
    const Experiment one = draw_filled(draw, machine);
    const Symmetry symmetry = fast::find_symmetry(machine, one);
    if (symmetry.is_trivial()) continue;
    ++reduced;
    ++of_kind[symmetry.ranks.kind];
    SCOPED_TRACE("case " + std::to_string(i) + ": " + text(one, symmetry));
    fast::MaxMinNetwork flows(machine);
    const Result some = Simulation(machine, one, flows, symmetry).run(), all = whole(machine, one);
    EXPECT_EQ(some.messages, all.messages);
    for (const auto& [level, bytes] : all.bytes_per_level) EXPECT_DOUBLE_EQ(some.bytes_per_level.at(level), bytes);
    EXPECT_EQ(some.bytes_per_level.size(), all.bytes_per_level.size());
    // What comes to a rank at one instant may be taken in either order.
    if (difference(some, all) > 1e-9) ++different;
  }
  RecordProperty("reduced", reduced);
  RecordProperty("different", different);
  EXPECT_GT(reduced, kExperiments / 20);
  EXPECT_GT(of_kind[BlockMoves::Kind::cyclic], 0);
  EXPECT_GT(of_kind[BlockMoves::Kind::exclusive_or], 0);
  EXPECT_GT(of_kind[BlockMoves::Kind::even_exclusive_or], 0);
  EXPECT_EQ(different, 0);
}

Experiment on_nodes(const Machine& machine, Collective collective, const char* algorithm, int nodes, int per_node) {
  Experiment one = experiment(collective, algorithm, nodes * per_node, 4096);
  for (int rank = 0; rank < one.c.ranks; ++rank)
    one.core_of_rank[static_cast<std::size_t>(rank)] =
        rank / per_node * machine.network->cores_per_node() + rank % per_node;
  return one;
}

Machine fat_tree(bool shared = true) {
  NodeShape node = one_core_node();
  node.cores_per_cache = 2;
  const Channel cable{kBandwidth, kLatency, shared};
  return free_machine(node, std::make_unique<FatTree>(FatTreeShape{4, {{4, 4, 1, cable}, {2, 2, 1, cable}}, 0}));
}

int blocks(const Machine& machine, Collective collective, const char* algorithm, int nodes, int per_node) {
  return fast::find_symmetry(machine, on_nodes(machine, collective, algorithm, nodes, per_node)).ranks.blocks;
}

TEST(Symmetry, FindsTheLargestOneThatAlgorithmAndNetworkShare) {
  const Machine machine = fat_tree();
  for (const int per_node : {1, 2}) {
    EXPECT_EQ(blocks(machine, Collective::alltoall, "pairwise", 4, per_node), 4) << "nodes of one leaf";
    EXPECT_EQ(blocks(machine, Collective::alltoall, "pairwise", 3, per_node), 3);
    EXPECT_EQ(blocks(machine, Collective::alltoall, "pairwise", 8, per_node), 2) << "two leaves";
    EXPECT_EQ(blocks(machine, Collective::alltoall, "pairwise", 16, per_node), 4) << "a subtree of four leaves";
    EXPECT_EQ(blocks(machine, Collective::alltoall, "pairwise", 32, per_node), 2) << "two subtrees";
    EXPECT_EQ(blocks(machine, Collective::alltoall, "pairwise", 7, per_node), 1) << "a leaf and a part of one";
    EXPECT_EQ(blocks(machine, Collective::allgather, "recursive_doubling", 16, per_node), 16) << "by exclusive or";
    EXPECT_EQ(blocks(machine, Collective::allreduce, "recursive_doubling", 16, per_node), 8)
        << "half of the ranks copy once more than the others";
    EXPECT_EQ(blocks(machine, Collective::bcast, "binomial", 16, per_node), 1);
  }
}

TEST(Symmetry, IsFoundWhereRanksAskForTheirGroups) {
  const Machine machine = fat_tree();
  for (const int per_node : {1, 2}) {
    EXPECT_EQ(blocks(machine, Collective::alltoall, "hier", 4, per_node), 4);
    EXPECT_EQ(blocks(machine, Collective::alltoall, "permuted", 3, per_node), 3);
    EXPECT_EQ(blocks(machine, Collective::alltoall, "hier", 16, per_node), 4) << "a subtree of four leaves";
    EXPECT_EQ(blocks(machine, Collective::bcast, "hier", 4, per_node), 1);
  }
}

Task exchange_among_two(Comm comm, Call call) {
  const Rank other = 1 - comm.rank();
  co_await comm.exchange(other, call.in, other, call.out);
}

/// Every second rank copies first.
Task exchange_in_leaves(Comm comm, Call call) {
  if (comm.rank() % 2 == 1) co_await comm.wait(comm.copy(call.out, call.in));
  co_await exchange_among_two(comm.group(Level::leaf), call);
}

// Two ranks could stand for all, but what the second sends to the third is of the second leaf's group, and who would
// stand for the third is in the first.
TEST(Symmetry, IsNotUsedWhereMessagesWouldBeReceivedInAnotherGroup) {
  const Machine machine = fat_tree();
  const int leaf = 4 * machine.network->cores_per_node(), node = machine.network->cores_per_node();
  Algorithm algorithm(Collective::allreduce, "in leaves", exchange_in_leaves, __FILE__);
  algorithm.messages("p");
  Experiment one = on_nodes(machine, Collective::allreduce, "ring", 4, 1);
  one.choice = default_choice(algorithm);
  one.core_of_rank = {0, leaf, leaf + node, node};
  EXPECT_EQ(fast::find_symmetry(machine, one).ranks.blocks, 1);
  one.core_of_rank = {0, node, leaf, leaf + node};
  EXPECT_EQ(fast::find_symmetry(machine, one).ranks.blocks, 2);
}

TEST(Symmetry, IsNotUsedWhereOneLinkDiffers) {
  std::vector<int> nodes = cores(16);
  const BlockMoves moves{BlockMoves::Kind::cyclic, 4, 4};
  /// The tree, with other ways from one node to one other, and one link that takes longer.
  class Detour final : public Fabric {
   public:
    explicit Detour(const Fabric& tree, double longer_seconds = 0) : tree_(tree) {
      set_size(tree.nodes(), tree.switches());
      for (std::size_t i = 0; i < tree.links().size(); ++i) {
        const Link& link = tree.links()[i];
        add_link(tree.cables()[i].from_switch, tree.cables()[i].to_switch,
                 {link.bandwidth_bytes_per_second, link.latency_seconds + (i == 0 ? longer_seconds : 0), link.shared},
                 std::string(tree.name_of(static_cast<LinkId>(i))), link.level);
      }
    }
    int switch_of(int node) const override { return tree_.switch_of(node); }
    int nodes_beside(int node) const override { return tree_.nodes_beside(node); }
    void route(int from, int to, std::int64_t destination, std::vector<LinkId>& into) const override {
      tree_.route(from, to, from == 5 && to == 14 ? destination + 1 : destination, into);
    }

   private:
    const Fabric& tree_;
  };
  for (const bool shared : {true, false}) {
    const Machine machine = fat_tree(shared);
    const std::vector<bool> can_fill = machine.network->can_fill(nodes);
    EXPECT_TRUE(fast::link_classes(*machine.network, nodes, moves, can_fill));
    const Network other(machine.network->node_shape(), std::make_unique<Detour>(machine.network->fabric()));
    EXPECT_EQ(fast::link_classes(other, nodes, moves, can_fill).has_value(), !shared)
        << "which link it is matters where it is shared";
    const Network longer(machine.network->node_shape(), std::make_unique<Detour>(machine.network->fabric(), kLatency));
    EXPECT_FALSE(fast::link_classes(longer, nodes, moves, can_fill));
  }
}

/// A shift by one, in which one rank of all does a thing more.
template <int Odd>
Task shift(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  co_await comm.exchange((rank + 1) % size, call.in, (rank + size - 1) % size, call.out);
  if (rank == Odd) co_await comm.wait(comm.copy(call.out, call.in));
}

TEST(Symmetry, IsNotUsedWhereOneRankDoesAnotherThing) {
  const Machine leaf = crossbar(16);
  Experiment one = on_nodes(leaf, Collective::allreduce, "ring", 16, 1);
  const Algorithm alike(Collective::allreduce, "alike", shift<-1>, __FILE__);
  const Algorithm odd(Collective::allreduce, "odd", shift<9>, __FILE__);
  one.choice = default_choice(alike);
  EXPECT_EQ(fast::find_symmetry(leaf, one).ranks.blocks, 16);
  one.choice = default_choice(odd);
  EXPECT_EQ(fast::find_symmetry(leaf, one).ranks.blocks, 1);
  one.choice = default_choice(alike);
  std::swap(one.core_of_rank[3], one.core_of_rank[4]);  // nodes may come in any order on one switch
  EXPECT_EQ(fast::find_symmetry(leaf, one).ranks.blocks, 16);
  one.mode = parse_mode("skew:1e-6");
  EXPECT_EQ(fast::find_symmetry(leaf, one).ranks.blocks, 1);
}

/// All write the same number of elements to scratch memory; one rank writes them to the same place twice.
template <int Odd>
Task write_twice(Comm comm, Call call) {
  const Count elements = call.in.elements();
  const View scratch = comm.scratch(2 * elements);
  co_await comm.wait(comm.copy(scratch.slice(0, elements), call.in));
  co_await comm.wait(comm.copy(scratch.slice(comm.rank() == Odd ? 0 : elements, elements), call.in));
}

TEST(Symmetry, IsNotUsedWhereOneRankTouchesFewerFreshPages) {
  Machine leaf = crossbar(16);
  Experiment one = on_nodes(leaf, Collective::allreduce, "ring", 16, 1);
  const Algorithm alike(Collective::allreduce, "alike", write_twice<-1>, __FILE__);
  const Algorithm odd(Collective::allreduce, "odd", write_twice<9>, __FILE__);
  for (const bool fresh_pages_cost : {false, true}) {
    if (fresh_pages_cost) leaf.compute.temporary = {1e-10, 1, 1};
    one.choice = default_choice(alike);
    EXPECT_EQ(fast::find_symmetry(leaf, one).ranks.blocks, 16);
    one.choice = default_choice(odd);
    EXPECT_EQ(fast::find_symmetry(leaf, one).ranks.blocks, fresh_pages_cost ? 1 : 16);
  }
}

/// All send twice from scratch memory; one rank sends the same of it twice.
template <int Odd>
Task send_from_scratch(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Count elements = call.in.elements();
  const View scratch = comm.scratch(2 * elements);
  for (const Count first : {Count{0}, rank == Odd ? 0 : elements})
    co_await comm.exchange((rank + 1) % size, scratch.slice(first, elements), (rank + size - 1) % size, call.out);
}

TEST(Symmetry, IsNotUsedWhereOneRanksAdapterReadsLessFreshMemory) {
  Machine leaf = crossbar(16);
  Experiment one = on_nodes(leaf, Collective::allreduce, "ring", 16, 1);
  const Algorithm alike(Collective::allreduce, "alike", send_from_scratch<-1>, __FILE__);
  const Algorithm odd(Collective::allreduce, "odd", send_from_scratch<9>, __FILE__);
  for (const double registration : {0.0, 1e-5}) {
    leaf.compute.temporary.registration_seconds = registration;
    one.choice = default_choice(alike);
    EXPECT_EQ(fast::find_symmetry(leaf, one).ranks.blocks, 16);
    one.choice = default_choice(odd);
    EXPECT_EQ(fast::find_symmetry(leaf, one).ranks.blocks, registration > 0 ? 1 : 16);
  }
}

}  // namespace
}  // namespace tutti::test
