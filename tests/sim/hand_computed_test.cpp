#include <gtest/gtest.h>

#include "tests/sim/machines.hpp"
#include "topologies/dragonfly.hpp"

// Cases that a person can compute: exact to a nanosecond.

namespace tutti::test {
namespace {

/// Every rank of `senders` sends a message to the rank that many places on, all at once.
struct Shift {
  int senders, distance;
};
Shift shift_pattern{};

Task shift_by_one(Comm comm, Call call) {
  const auto [senders, distance] = shift_pattern;
  std::vector<Op> ops;
  if (comm.rank() >= distance && comm.rank() < senders + distance)
    ops.push_back(comm.recv(comm.rank() - distance, call.out));
  if (comm.rank() < senders) ops.push_back(comm.send(comm.rank() + distance, call.in));
  co_await comm.wait(ops);
}

Task incast(Comm comm, Call call) {
  std::vector<Op> ops;
  for (Rank r = 1; comm.rank() == 0 && r < comm.size(); ++r) ops.push_back(comm.recv(r, call.block(r)));
  if (comm.rank() != 0) ops.push_back(comm.send(0, call.in));
  co_await comm.wait(ops);
}

Task copy_once(Comm comm, Call call) { co_await comm.wait(comm.copy(call.out, call.in)); }

/// Blocks of 1, 2, 3, … elements, each copied.
std::vector<Op> copies_of_blocks(const Comm& comm, const Call& call) {
  std::vector<Op> copies;
  for (Count first = 0, size = 1; first + size <= call.in.elements(); first += size++)
    copies.push_back(comm.copy(call.out.slice(first, size), call.in.slice(first, size)));
  return copies;
}

Task copy_together(Comm comm, Call call) {
  const std::vector<Op> copies = copies_of_blocks(comm, call);
  co_await comm.wait(copies);
}

Task copy_and_return(Comm comm, Call call) {
  copies_of_blocks(comm, call);
  co_return;
}

Task copy_one_by_one(Comm comm, Call call) {
  const std::vector<Op> copies = copies_of_blocks(comm, call);
  for (const Op& copy : copies) co_await comm.wait(copy);
}

/// Rank 0 wants its message as soon as the second of its copies is over, while the others go on.
Task want_after_second_copy(Comm comm, Call call) {
  if (comm.rank() == 1) co_return co_await comm.wait(comm.send(0, call.in));
  const std::vector<Op> copies = copies_of_blocks(comm, call);
  co_await comm.wait(copies[1]);
  co_await comm.wait(comm.recv(1, comm.scratch(call.in.elements())));
}

/// An experiment with an algorithm that only this test knows.
Result run_function(const std::string& engine, const Machine& machine, AlgorithmFunction function, const Case& c,
                    std::vector<int> on_cores) {
  const Algorithm algorithm(c.collective, "test", function, "");
  const Experiment one{c, {&algorithm, {}}, std::move(on_cores), {}, 1, false};
  return run(engine, machine, one);
}

Result run_shift(const std::string& engine, const Machine& machine, int senders, int distance,
                 std::vector<int> on_cores) {
  shift_pattern = {senders, distance};
  const int ranks = static_cast<int>(on_cores.size());
  return run_function(engine, machine, shift_by_one,
                      {Collective::allreduce, ranks, kMegabyte, 1, 0, false, Operator::sum}, std::move(on_cores));
}

TUTTI_ON_EVERY_ENGINE(HandComputed);

TEST_P(HandComputed, OneMessageTakesLatencyPlusBytesOverBandwidth) {
  const Result result = run(GetParam(), crossbar(2), experiment(Collective::bcast, "binomial", 2, kMegabyte));
  EXPECT_NEAR(result.makespan_seconds, kLatency + kTransfer, kExact);
  EXPECT_EQ(result.messages, 1);
}

TEST_P(HandComputed, AnEmptyMessageTakesTheLatency) {
  EXPECT_NEAR(run(GetParam(), crossbar(2), experiment(Collective::bcast, "binomial", 2, 0)).makespan_seconds, kLatency,
              kExact);
}

TEST_P(HandComputed, BinomialBroadcastIsCeilLog2PMessagesInARow) {
  // The root's sends all start at once where a processor costs nothing; a gap as long as a message puts them in a row.
  Machine machine = crossbar(33);
  for (auto& transport : machine.transports) transport->gap_seconds = kLatency + kTransfer;
  for (const auto& [ranks, rounds] :
       {std::pair{2, 1}, {3, 2}, {4, 2}, {5, 3}, {7, 3}, {8, 3}, {9, 4}, {31, 5}, {33, 6}})
    EXPECT_NEAR(run(GetParam(), machine, experiment(Collective::bcast, "binomial", ranks, kMegabyte)).makespan_seconds,
                rounds * (kLatency + kTransfer), kExact)
        << ranks << " ranks";
}

TEST_P(HandComputed, IncastTakesTheReceiversLink) {
  for (const int ranks : {2, 3, 7, 16, 17})
    EXPECT_NEAR(run_function(GetParam(), crossbar(17), incast,
                             {Collective::gather, ranks, kMegabyte, 1, 0, false, Operator::sum}, cores(ranks))
                    .makespan_seconds,
                kLatency + (ranks - 1) * kTransfer, kExact)
        << ranks << " ranks";
}

TEST_P(HandComputed, A2To1TaperDoublesAShiftedPermutation) {
  const auto tree = [](int parents) {
    return free_machine(one_core_node(),
                        std::make_unique<FatTree>(FatTreeShape{4, {{2, parents, 1, {kBandwidth, kLatency, true}}}, 0}));
  };
  const double latency = kLatency + 2 * kLatency;
  EXPECT_NEAR(run_shift(GetParam(), tree(4), 4, 4, cores(8)).makespan_seconds, latency + kTransfer, kExact);
  EXPECT_NEAR(run_shift(GetParam(), tree(2), 4, 4, cores(8)).makespan_seconds, latency + 2 * kTransfer, kExact);
}

TEST_P(HandComputed, TwoFlowsOverOneDragonflyGlobalLinkShareIt) {
  // Five groups of two routers with two nodes each: more groups than routers, which SimGrid's own dragonfly cannot
  // build.
  DragonflyShape shape;
  shape.groups = 5;
  shape.routers_per_chassis = 2;
  shape.nodes_per_router = 2;
  shape.local = shape.chassis = Channel{4 * kBandwidth, 0, true};
  shape.global = Channel{kBandwidth, kLatency, true};
  const Machine machine = free_machine(one_core_node(), std::make_unique<Dragonfly>(shape));
  const double latency = 2 * kLatency;
  EXPECT_NEAR(run_shift(GetParam(), machine, 1, 1, {0, 4}).makespan_seconds, latency + kTransfer, kExact);
  EXPECT_NEAR(run_shift(GetParam(), machine, 2, 2, {0, 1, 4, 5}).makespan_seconds, latency + 2 * kTransfer,
              kExact);  // both to group 1
  EXPECT_NEAR(run_shift(GetParam(), machine, 2, 2, {0, 1, 4, 8}).makespan_seconds, latency + kTransfer,
              kExact);  // to groups 1 and 2
}

TEST_P(HandComputed, TwoRanksOfANodeShareItsOneNicAndHaveOneEachOfTwo) {
  const auto two_nodes = [](std::size_t nics) {
    NodeShape node;
    node.cores_per_cache = 2;
    node.nics.assign(nics, {0, {kBandwidth, kLatency / 2, true}, {}});
    return free_machine(node, std::make_unique<FatTree>(FatTreeShape{2, {}, 0}));
  };
  EXPECT_NEAR(run_shift(GetParam(), two_nodes(1), 2, 2, cores(4)).makespan_seconds, kLatency + 2 * kTransfer, kExact);
  EXPECT_NEAR(run_shift(GetParam(), two_nodes(2), 2, 2, cores(4)).makespan_seconds, kLatency + kTransfer, kExact);
}

TEST_P(HandComputed, TwoNumaDomainsCopyingAtOnceDoNotShareTwoCoresOfOneDo) {
  NodeShape node;
  node.domains_per_socket = 2;
  node.cores_per_cache = 2;
  node.memory = Channel{kBandwidth, 0, true};
  const Machine machine = free_machine(node, std::make_unique<FatTree>(FatTreeShape{1, {}, 0}));
  const Case two{Collective::allreduce, 2, kMegabyte, 1, 0, false, Operator::sum};
  EXPECT_NEAR(run_function(GetParam(), machine, copy_once, two, {0, 2}).makespan_seconds, kTransfer, kExact);
  EXPECT_NEAR(run_function(GetParam(), machine, copy_once, two, {0, 1}).makespan_seconds, 2 * kTransfer, kExact);
}

TEST_P(HandComputed, OverheadsHandshakeAndSegmentsAddUpAsTheMachineSays) {
  Machine machine = crossbar(2);
  const Transport transport{1e-6, 2e-6, 0, {{1000, 3e-6, 5e8}, {std::numeric_limits<std::int64_t>::max(), 4e-6, 2.5e8}},
                            2000, 7e-6};
  machine.transports.fill(transport);
  for (const Count bytes : {0, 1, 1000, 1001, 2000, 2001, 1'000'000})
    EXPECT_NEAR(run(GetParam(), machine, experiment(Collective::bcast, "binomial", 2, bytes)).makespan_seconds,
                machine.message_seconds(0, 1, bytes), kExact)
        << bytes << " bytes";
}

TEST_P(HandComputed, CopiesAndReductionsTakeTheirRate) {
  Machine machine = crossbar(2);
  machine.compute.copy = {1e-6, 1e-9, 1000, 4e-9};
  const Case small{Collective::allreduce, 1, 1000, 1, 0, false, Operator::sum},
      half{Collective::allreduce, 1, 2002, 1, 0, false, Operator::sum},
      large{Collective::allreduce, 1, 4004, 1, 0, false, Operator::sum};
  EXPECT_NEAR(run_function(GetParam(), machine, copy_once, small, {0}).makespan_seconds, 1e-6 + 1000 * 1e-9, kExact);
  EXPECT_NEAR(run_function(GetParam(), machine, copy_once, half, {0}).makespan_seconds, 1e-6 + 2002 * 2.5198421e-9,
              kExact);  // two of three factors on the way to 4 ns: 4^(2/3)
  EXPECT_NEAR(run_function(GetParam(), machine, copy_once, large, {0}).makespan_seconds, 1e-6 + 4004 * 4e-9, kExact);
}

TEST_P(HandComputed, CopiesOfManyBlocksTakeTheSumOfTheirTimes) {
  NodeShape node;
  node.cores_per_cache = 2;
  node.memory = Channel{kBandwidth, 0, true};
  Machine machine = free_machine(node, std::make_unique<FatTree>(FatTreeShape{1, {}, 0}));
  machine.compute.copy = {1e-6, 1 / kBandwidth, 1 << 30, 1 / kBandwidth};
  for (const int ranks : {1, 2}) {
    const Case c{Collective::allreduce, ranks, 5050, 1, 0, false, Operator::sum};
    for (const AlgorithmFunction function : {copy_together, copy_and_return, copy_one_by_one})
      EXPECT_NEAR(run_function(GetParam(), machine, function, c, cores(ranks)).makespan_seconds,
                  100 * 1e-6 + ranks * 5050 / kBandwidth, kExact)
          << ranks << " ranks that share a memory";
  }
}

TEST_P(HandComputed, WhoWaitsForOneOfManyCopiesGoesOnAtItsEnd) {
  Machine machine = crossbar(2);
  for (auto& transport : machine.transports) {
    transport->eager_limit_bytes = 0;
    transport->rendezvous_seconds = 5e-6;
  }
  machine.compute.copy = {1e-6, 1e-9, 1 << 30, 1e-9};
  const Case c{Collective::allreduce, 2, 10, 1, 0, false, Operator::sum};  // four copies
  EXPECT_NEAR(run_function(GetParam(), machine, want_after_second_copy, c, {0, 1}).makespan_seconds,
              2e-6 + 3e-9 + 5e-6 + kLatency + 10 / kBandwidth, kExact);
}

TEST_P(HandComputed, AReceiveThatCombinesTakesItsMessageThenTheReduction) {
  Machine machine = crossbar(2);
  machine.compute.reduce = {1e-6, 1e-9, 1000, 4e-9};
  const Case small{Collective::reduce, 2, 1000, 1, 0, false, Operator::sum},
      large{Collective::reduce, 2, kMegabyte, 1, 0, false, Operator::sum};
  const AlgorithmFunction flat = find_algorithm(Collective::reduce, "flat").function();
  EXPECT_NEAR(run_function(GetParam(), machine, flat, small, {0, 1}).makespan_seconds,
              kLatency + 1000 / kBandwidth + 1e-6 + 1000 * 1e-9, kExact);
  EXPECT_NEAR(run_function(GetParam(), machine, flat, large, {0, 1}).makespan_seconds,
              kLatency + kTransfer + 1e-6 + kMegabyte * 4e-9, kExact);
}

}  // namespace
}  // namespace tutti::test
