#include <gtest/gtest.h>

#include "tests/sim/machines.hpp"
#include "topologies/dragonfly.hpp"

// What shared fabrics and another job do to messages, in cases that a person can compute: exact to a nanosecond.

namespace tutti::test {
namespace {

constexpr std::int64_t kQueued = 100'000;

/// Who sends a message to whom.
std::vector<std::pair<Rank, Rank>> sends{};

Task send_all(Comm comm, Call call) {
  std::vector<Op> ops;
  for (const auto& [from, to] : sends) {
    if (comm.rank() == to) ops.push_back(comm.recv(from, call.out));
    if (comm.rank() == from) ops.push_back(comm.send(to, call.in));
  }
  co_await comm.wait(ops);
}

Experiment sending(const Algorithm& algorithm, const std::vector<std::pair<Rank, Rank>>& pairs,
                   std::vector<int> on_cores, Count bytes = kMegabyte) {
  sends = pairs;
  const int ranks = static_cast<int>(on_cores.size());
  const Case c{Collective::allreduce, ranks, bytes, 1, 0, false, Operator::sum};
  return {c, {&algorithm, {}}, std::move(on_cores), {}, 1, false};
}

const Algorithm& test_algorithm() {
  static const Algorithm algorithm(Collective::allreduce, "test", send_all, "");
  return algorithm;
}

/// Two leaves of eight nodes under adaptive routing, joined by so many cables.
Machine two_leaves(int cables, double cable_latency = 0) {
  return free_machine(one_core_node(),
                      std::make_unique<FatTree>(
                          FatTreeShape{8, {{2, cables, 1, {kBandwidth, cable_latency, true}}}, 0, Routing::adaptive}));
}

Machine with_trees(Machine machine, int from_senders = 4, double grow_seconds = 0) {
  machine.congestion_trees = CongestionTrees{from_senders, grow_seconds, kQueued};
  return machine;
}

/// Beside an incast of `bytes` on nodes 0 to 3 to the root on node 8.
Experiment beside_incast(Experiment one, std::int64_t bytes, double gap_seconds = 0) {
  one.core_of_rank.insert(one.core_of_rank.end(), {8, 0, 1, 2, 3});
  one.background = Background{Background::Kind::incast, 5, bytes, 0, 0, gap_seconds};
  return one;
}

TUTTI_ON_EVERY_ENGINE(Fabric);

TEST_P(Fabric, FlowsShareWhatATrunkHasAndNotASingleCable) {
  const std::vector<std::pair<Rank, Rank>> four{{0, 4}, {1, 5}, {2, 6}, {3, 7}};
  const std::vector<int> apart{0, 1, 2, 3, 8, 9, 10, 11};
  for (const auto& [cables, times] : {std::pair{1, 4.0}, {2, 2.0}, {3, 4.0 / 3}, {4, 1.0}, {5, 1.0}})
    EXPECT_NEAR(run(GetParam(), two_leaves(cables), sending(test_algorithm(), four, apart)).makespan_seconds,
                kLatency + times * kTransfer, kExact)
        << cables << " cables";
}

TEST_P(Fabric, DetoursWidenTheWayBetweenTwoGroupsUpToWhatAllCablesOfAGroupHave) {
  const auto machine = [](double detours) {
    DragonflyShape shape;
    shape.groups = 3;
    shape.nodes_per_router = 4;
    shape.global = {kBandwidth, 0, true};
    shape.routing = Routing::adaptive;
    shape.detour_share = detours;
    return free_machine(one_core_node(), std::make_unique<Dragonfly>(shape));
  };
  const Experiment four = sending(test_algorithm(), {{0, 4}, {1, 5}, {2, 6}, {3, 7}}, {0, 1, 2, 3, 4, 5, 6, 7});
  // One direct cable, of which a quarter or half of all that is sent takes the other way.
  for (const auto& [detours, times] : {std::pair{0.0, 4.0}, {0.25, 3.0}, {0.5, 2.0}, {1.0, 2.0}})
    EXPECT_NEAR(run(GetParam(), machine(detours), four).makespan_seconds, kLatency + times * kTransfer, kExact)
        << detours;
  // To both other groups, two each: the two cables are the group's, by whatever way.
  const Experiment apart = sending(test_algorithm(), {{0, 4}, {1, 5}, {2, 6}, {3, 7}}, {0, 1, 2, 3, 4, 5, 8, 9});
  for (const double detours : {0.0, 0.5, 1.0})
    EXPECT_NEAR(run(GetParam(), machine(detours), apart).makespan_seconds, kLatency + 2 * kTransfer, kExact) << detours;
}

TEST_P(Fabric, AVictimBehindATreeGetsWhatASenderOfTheIncastGets) {
  Experiment victim = beside_incast(sending(test_algorithm(), {{0, 1}}, {4, 9}), 1000 * kMegabyte);
  victim.mode = parse_mode("back-to-back:2");
  // Four senders: a quarter of the receiver's adapter each. The second message, which has been under way since the
  // first was, finds a queue.
  const Result result = run(GetParam(), with_trees(two_leaves(8)), victim);
  ASSERT_EQ(result.seconds_per_call.size(), 2u);
  EXPECT_NEAR(result.seconds_per_call[0], kLatency + 4 * kTransfer, kExact);
  EXPECT_NEAR(result.seconds_per_call[1], 4 * kTransfer + 4 * kQueued / kBandwidth, kExact);
  EXPECT_NEAR(result.makespan_seconds, kLatency / 2 + 4 * kTransfer + 2 * kQueued / kBandwidth, kExact) << "the median";
  EXPECT_EQ(result.messages, 1) << "the other job's do not count";
}

TEST_P(Fabric, WithoutFiguresOrEnoughSendersThereIsNoTree) {
  const Experiment victim = beside_incast(sending(test_algorithm(), {{0, 1}}, {4, 9}), 1000 * kMegabyte);
  EXPECT_NEAR(run(GetParam(), two_leaves(8), victim).makespan_seconds, kLatency + kTransfer, kExact);
  EXPECT_NEAR(run(GetParam(), with_trees(two_leaves(8), 5), victim).makespan_seconds, kLatency + kTransfer, kExact);
}

TEST_P(Fabric, WhoSharesNoCableWithTheTreeIsNoVictim) {
  const Experiment inside = beside_incast(sending(test_algorithm(), {{0, 1}}, {4, 5}), 1000 * kMegabyte);
  EXPECT_NEAR(run(GetParam(), with_trees(two_leaves(8)), inside).makespan_seconds, kLatency + kTransfer, kExact);
  const Experiment other_way = beside_incast(sending(test_algorithm(), {{0, 1}}, {9, 4}), 1000 * kMegabyte);
  EXPECT_NEAR(run(GetParam(), with_trees(two_leaves(8)), other_way).makespan_seconds, kLatency + kTransfer, kExact);
}

TEST_P(Fabric, AMessageIntoTheTreeHoldsUpNothingThatItsAdapterSendsElsewhere) {
  // One of two messages comes through at a quarter of the adapter's rate, the other takes what is left.
  const Experiment victim = beside_incast(sending(test_algorithm(), {{0, 1}, {0, 2}}, {4, 9, 5}), 1000 * kMegabyte);
  const Result result = run(GetParam(), with_trees(two_leaves(8)), victim);
  EXPECT_NEAR(result.seconds_per_rank[1], kLatency + 4 * kTransfer, kExact);
  EXPECT_NEAR(result.seconds_per_rank[2], kLatency + 4.0 / 3 * kTransfer, kExact);
}

TEST_P(Fabric, EachMessageIntoTheTreeHasASendersRate) {
  const Experiment victim = beside_incast(sending(test_algorithm(), {{0, 1}, {0, 2}}, {4, 9, 10}), 1000 * kMegabyte);
  EXPECT_NEAR(run(GetParam(), with_trees(two_leaves(8)), victim).makespan_seconds, kLatency + 4 * kTransfer, kExact);
}

TEST_P(Fabric, WhoWaitsInATreeGoesOnWhenItIsGone) {
  // The second message would wait 40 ms for what stands before it; 4 ms after the beginning there is no tree.
  Machine machine = with_trees(two_leaves(8));
  machine.congestion_trees->queued_bytes = 10 * kMegabyte;
  Experiment victim = beside_incast(sending(test_algorithm(), {{0, 1}}, {4, 9}, kMegabyte / 2), kMegabyte, 1);
  victim.mode = parse_mode("back-to-back:2");
  const Result result = run(GetParam(), machine, victim);
  ASSERT_EQ(result.seconds_per_call.size(), 2u);
  EXPECT_NEAR(result.seconds_per_call[0], kLatency + 2 * kTransfer, kExact);
  EXPECT_NEAR(result.seconds_per_call[1], 2.5 * kTransfer, 2 * kLatency);
}

TEST_P(Fabric, UnderStaticRoutingOnlyThoseAreHeldUpThatTakeTheIncastsCable) {
  // Four wide cables, one by each destination: those to nodes 8 and 12 are the same.
  const Machine machine = with_trees(free_machine(
      one_core_node(), std::make_unique<FatTree>(FatTreeShape{8, {{2, 4, 1, {10 * kBandwidth, 0, true}}}, 0})));
  for (const auto& [to, times] : {std::pair{9, 1.0}, {12, 4.0}})
    EXPECT_NEAR(run(GetParam(), machine, beside_incast(sending(test_algorithm(), {{0, 1}}, {4, to}), 1000 * kMegabyte))
                    .makespan_seconds,
                kLatency + times * kTransfer, kExact)
        << to;
}

TEST_P(Fabric, ATreeTakesTimeToGrowAnewInEveryRound) {
  // Rounds of 4 ms and a rest; 2 ms without a tree, 2 with: 2 MB, then half a one, and 1.5 when all is over.
  const Machine machine = with_trees(two_leaves(8), 4, 2 * kTransfer);
  const Experiment victim = beside_incast(sending(test_algorithm(), {{0, 1}}, {4, 9}, 4 * kMegabyte), kMegabyte, 1);
  EXPECT_NEAR(run(GetParam(), machine, victim).makespan_seconds, kLatency + 5.5 * kTransfer, 2 * kLatency);
}

TEST_P(Fabric, WhenTheIncastIsOverSoIsTheTree) {
  // 4 MB to one adapter take 4 ms, in which a quarter of 4 MB gets through; the rest takes 3 ms.
  const Experiment victim = beside_incast(sending(test_algorithm(), {{0, 1}}, {4, 9}, 4 * kMegabyte), kMegabyte, 1);
  EXPECT_NEAR(run(GetParam(), with_trees(two_leaves(8)), victim).makespan_seconds, kLatency + 7 * kTransfer, kExact);
}

TEST_P(Fabric, AnAllToAllMakesNoTreeButTakesItsShareOfTheTrunk) {
  // On nodes 0, 1, 8, 9: two messages each way between the leaves, at half an adapter's rate each or, over one cable
  // of 1 GB/s with the victim's, a fifth of it.
  Experiment victim = sending(test_algorithm(), {{0, 1}}, {4, 12});
  victim.core_of_rank.insert(victim.core_of_rank.end(), {0, 1, 8, 9});
  victim.background = Background{Background::Kind::alltoall, 4, 1000 * kMegabyte};
  EXPECT_NEAR(run(GetParam(), with_trees(two_leaves(8), 2), victim).makespan_seconds, kLatency + kTransfer, kExact);
  EXPECT_NEAR(run(GetParam(), with_trees(two_leaves(1), 2), victim).makespan_seconds, kLatency + 5 * kTransfer, kExact);
}

TEST_P(Fabric, ABurstEndsWithTheRoundInWhichItsTimeIsOver) {
  // Rounds of 4 ms: after the second, 5 ms are over, and a second passes. Calls in turn see two rounds and then none.
  Experiment victim = beside_incast(sending(test_algorithm(), {{0, 1}}, {4, 9}), kMegabyte);
  victim.background->burst_seconds = 5e-3;
  victim.background->pause_seconds = 1;
  victim.mode = parse_mode("back-to-back:10");
  const Result result = run(GetParam(), with_trees(two_leaves(8)), victim);
  ASSERT_EQ(result.seconds_per_call.size(), 10u);
  double total = 0;
  for (std::size_t i = 0; i < 10; ++i) total += result.seconds_per_call[i];
  EXPECT_NEAR(result.seconds_per_call[0], kLatency + 4 * kTransfer, 2e-5);
  EXPECT_GT(result.seconds_per_call[1], 3.9 * kTransfer);
  for (std::size_t i = 3; i < 10; ++i) EXPECT_NEAR(result.seconds_per_call[i], kTransfer, kExact) << i;
  EXPECT_NEAR(total, 8 * kTransfer + 8 * kTransfer, 0.6 * kTransfer) << "8 ms of trees, then at once what is left";
}

}  // namespace
}  // namespace tutti::test
