#include <gtest/gtest.h>

#include "sim/fast/max_min_network.hpp"
#include "sim/simulation.hpp"
#include "tests/sim/machines.hpp"

// What a machine may add to the cost of messages and computing: exact to a nanosecond, and nothing where it is left
// out.

namespace tutti::test {
namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

Transport& network_of(Machine& machine) { return *machine.transports[static_cast<std::size_t>(Distance::network)]; }

double seconds(const std::string& engine, const Machine& machine, const char* choice, Collective collective, int ranks,
               Count count) {
  return run(engine, machine, experiment(collective, choice, ranks, count)).makespan_seconds;
}

TUTTI_ON_EVERY_ENGINE(Ingredients);

TEST_P(Ingredients, WhatMessagesOfAPairHaveAboveTheLimitTakesTurns) {
  Machine machine = crossbar(2);
  const auto exchange = [&] {
    return seconds(GetParam(), machine, "recursive_doubling", Collective::allgather, 2, kMegabyte);
  };
  EXPECT_NEAR(exchange(), kLatency + kTransfer, kExact);
  network_of(machine).half_duplex_above_bytes = 0;
  EXPECT_NEAR(exchange(), kLatency + 2 * kTransfer, kExact);
  network_of(machine).half_duplex_above_bytes = kMegabyte / 4;
  EXPECT_NEAR(exchange(), kLatency + 1.75 * kTransfer, kExact);
  network_of(machine).half_duplex_above_bytes = kMegabyte;
  EXPECT_NEAR(exchange(), kLatency + kTransfer, kExact);
}

TEST_P(Ingredients, MessagesAroundARingDoNotTakeTurns) {
  Machine machine = crossbar(3);
  network_of(machine).half_duplex_above_bytes = 0;
  EXPECT_NEAR(seconds(GetParam(), machine, "ring", Collective::allgather, 3, kMegabyte), 2 * (kLatency + kTransfer),
              kExact);
}

TEST_P(Ingredients, EagerMessagesOccupyBothProcessorsPerByte) {
  Machine machine = crossbar(2);
  network_of(machine).eager_copy_seconds_per_byte = 2e-9;
  network_of(machine).eager_limit_bytes = kMegabyte;
  const auto one = [&](Count bytes) { return seconds(GetParam(), machine, "binomial", Collective::bcast, 2, bytes); };
  EXPECT_NEAR(one(kMegabyte), kLatency + kTransfer + 2 * 2e-9 * kMegabyte, kExact);
  EXPECT_NEAR(one(2 * kMegabyte), kLatency + 2 * kTransfer, kExact);
  EXPECT_NEAR(one(kMegabyte), machine.message_seconds(0, 1, kMegabyte), kExact);
}

/// Then a step of a ring is a way there and back.
TEST_P(Ingredients, AnEagerSendMayEndWhenItIsAcknowledged) {
  constexpr double kAcknowledged = 17e-6;
  for (const bool shared : {true, false}) {
    NodeShape node = one_core_node();
    node.nics.front().cable.shared = shared;
    Machine machine = free_machine(node, std::make_unique<FatTree>(FatTreeShape{3, {}, 0}));
    Transport& transport = network_of(machine);
    transport.acknowledged_above_bytes = 1000;
    transport.acknowledgement_seconds = kAcknowledged;
    const auto times = [&](Count bytes) {
      return run(GetParam(), machine, experiment(Collective::bcast, "binomial", 2, bytes)).seconds_per_rank;
    };
    EXPECT_NEAR(times(1000)[0], 0, kExact);
    EXPECT_NEAR(times(1001)[1], kLatency + 1001e-9, kExact);
    EXPECT_NEAR(times(1001)[0], kLatency + 1001e-9 + kAcknowledged + kLatency, kExact);
    EXPECT_NEAR(seconds(GetParam(), machine, "ring", Collective::allgather, 3, 1001),
                2 * (kLatency + 1001e-9 + kAcknowledged + kLatency), kExact);
    EXPECT_NEAR(seconds(GetParam(), machine, "ring", Collective::allgather, 3, 1000), 2 * (kLatency + 1000e-9), kExact);
    transport.eager_limit_bytes = 1000;  // a rendezvous is not acknowledged
    EXPECT_NEAR(times(1001)[0], kLatency + 1001e-9, kExact);
  }
}

/// Ranks 0 and 1 count from 0.618 and 0.236: with a share of 0.4 the first message of rank 0 is lost, and the second of
/// rank 1; with 0.38 none of the first.
TEST_P(Ingredients, AShareOfTheMessagesThatAreNotEagerIsSentAgain) {
  constexpr double kLater = 40e-6;
  for (const bool shared : {true, false}) {
    NodeShape node = one_core_node();
    node.nics.front().cable.shared = shared;
    Machine machine = free_machine(node, std::make_unique<FatTree>(FatTreeShape{3, {}, 0}));
    Transport& transport = network_of(machine);
    transport.eager_limit_bytes = kMegabyte - 1;
    transport.retransmission_seconds = kLater;
    const auto time = [&](double share, Count bytes, int calls = 1) {
      transport.retransmitted_share = share;
      Experiment e = experiment(Collective::bcast, "binomial", 2, bytes);
      e.mode = {calls == 1 ? Mode::Kind::isolated : Mode::Kind::back_to_back, calls};
      return run(GetParam(), machine, e).seconds_per_rank[1];
    };
    const double alone = kLatency + kTransfer;
    EXPECT_NEAR(time(0.38, kMegabyte), alone, kExact);
    EXPECT_NEAR(time(0.40, kMegabyte), alone + kLater, kExact);
    EXPECT_NEAR(time(0.40, kMegabyte - 1), alone - 1e-9, kExact);
    EXPECT_NEAR(time(0.38, kMegabyte, 2), time(0.38, kMegabyte), kExact);  // each call counts anew
  }
}

/// No rank then stands for one that loses what it does not.
TEST_P(Ingredients, WhereMessagesAreSentAgainAllRanksAreSimulated) {
  Machine machine = crossbar(16);
  network_of(machine).eager_limit_bytes = 0;
  network_of(machine).retransmission_seconds = 1e-3;
  const auto time = [&](double share, bool all) {
    network_of(machine).retransmitted_share = share;
    const Experiment e = experiment(Collective::allgather, "ring", 16, kMegabyte);
    fast::MaxMinNetwork flows(machine);
    return (all ? Simulation(machine, e, flows).run() : run(GetParam(), machine, e)).makespan_seconds;
  };
  EXPECT_NEAR(time(0.001, false), time(0, false), kExact);  // of 240 messages
  for (const double share : {0.001, 0.01, 0.1}) EXPECT_NEAR(time(share, false), time(share, true), kExact) << share;
  EXPECT_GE(time(0.01, false), time(0, false) + 1e-3 - kExact);
}

/// Every flight of the handshake takes the link's microsecond and what software and adapters add to it.
constexpr double kSend = 3e-6, kReceive = 5e-6, kRequest = 7e-6, kFlight = 11e-6 + kLatency;

/// One whose links are shared and one without contention, which the fast engine simulates in another way.
std::vector<Machine> where_receivers_read(int nodes = 3) {
  std::vector<Machine> machines;
  for (const bool shared : {true, false}) {
    NodeShape node = one_core_node();
    node.nics.front().cable.shared = shared;
    machines.push_back(free_machine(node, std::make_unique<FatTree>(FatTreeShape{nodes, {}, 0})));
    Transport& transport = network_of(machines.back());
    transport.send_overhead_seconds = kSend;
    transport.receive_overhead_seconds = kReceive;
    transport.rendezvous_seconds = kRequest;
    transport.segments = {{1, 11e-6, 1e15}, {std::numeric_limits<std::int64_t>::max(), 13e-6, 1e15}};
    transport.eager_limit_bytes = kMegabyte - 1;
    transport.receiver_reads = true;
  }
  return machines;
}
// From the request's setting out to the last byte's being there; what the receiver's processor does after that.
constexpr double kRead = kRequest + kLatency + 13e-6 + kLatency + kTransfer, kHandled = 2 * (kSend + kReceive);

TEST_P(Ingredients, AReceiverReadsWhatWasAnnouncedAndAcknowledgesIt) {
  for (const Machine& machine : where_receivers_read()) {
    const Result read = run(GetParam(), machine, experiment(Collective::bcast, "binomial", 2, kMegabyte));
    const double received = kSend + kFlight + kRead + kHandled;
    EXPECT_NEAR(read.seconds_per_rank[1], received, kExact);
    EXPECT_NEAR(read.seconds_per_rank[0], received + kFlight, kExact);
    EXPECT_NEAR(machine.message_seconds(0, 1, kMegabyte), received, kExact);
    const Result eager = run(GetParam(), machine, experiment(Collective::bcast, "binomial", 2, kMegabyte - 1));
    EXPECT_NEAR(eager.seconds_per_rank[1], kSend + 13e-6 + kLatency + kTransfer + kReceive, 2 * kExact);
    EXPECT_NEAR(eager.seconds_per_rank[0], kSend, kExact);
  }
}

/// The root of a linear gather takes one message after the other: the second was announced during the first.
TEST_P(Ingredients, AnAnnouncementIsUnderWayBeforeTheReceiverIsReady) {
  for (const Machine& machine : where_receivers_read()) {
    const Result gather = run(GetParam(), machine, experiment(Collective::gather, "linear", 3, kMegabyte));
    const double first = kSend + kFlight + kRead + kHandled;
    EXPECT_NEAR(gather.seconds_per_rank[0], first + kRead + kHandled, kExact);
    EXPECT_NEAR(gather.seconds_per_rank[1], first + kFlight, kExact);
    EXPECT_NEAR(gather.seconds_per_rank[2], first + kRead + kHandled + kFlight, kExact);
  }
}

/// A linear scatter's blocking sends wait for acknowledgements, the others do not wait for each other.
TEST_P(Ingredients, ABlockingSendWaitsForItsAcknowledgement) {
  for (const Machine& machine : where_receivers_read()) {
    const double one = kSend + kFlight + kRead + kHandled + kFlight;
    EXPECT_NEAR(seconds(GetParam(), machine, "linear", Collective::scatter, 3, kMegabyte), 2 * one, kExact);
    EXPECT_LT(seconds(GetParam(), machine, "linear_nb", Collective::scatter, 3, kMegabyte),
              one + kTransfer + kSend + kExact);
  }
}

TEST_P(Ingredients, EveryWindowthSendOfALinearScatterIsABlockingOne) {
  for (const Machine& machine : where_receivers_read(5)) {
    const auto scatter = [&](const char* choice) {
      return seconds(GetParam(), machine, choice, Collective::scatter, 5, kMegabyte);
    };
    EXPECT_GT(scatter("linear_nb:window=2"), scatter("linear_nb") + kFlight);
    EXPECT_GT(scatter("linear"), scatter("linear_nb:window=2") + kFlight);
    EXPECT_EQ(scatter("linear_nb:window=5"), scatter("linear_nb"));
  }
}

/// Blocking sends are copied and soon over; adapters read what others send.
TEST_P(Ingredients, BlockingSendsMayHaveAnEagerLimitOfTheirOwn) {
  Machine machine = crossbar(3);
  Transport& transport = network_of(machine);
  transport.eager_copy_seconds_per_byte = 2e-9;
  transport.eager_limit_bytes = 1000;
  transport.rendezvous_seconds = kRequest;
  const auto scatter = [&](const char* algorithm, Count bytes) {
    return run(GetParam(), machine, experiment(Collective::scatter, algorithm, 3, bytes)).seconds_per_rank;
  };
  EXPECT_NEAR(scatter("linear_nb", 1000)[0], 2 * 2e-6, kExact);
  EXPECT_NEAR(scatter("linear", kMegabyte)[0], 2 * (kRequest + kLatency + kTransfer), kExact);
  transport.blocking_eager_limit_bytes = kMegabyte;
  EXPECT_NEAR(scatter("linear_nb", 1000)[0], 0, kExact);
  EXPECT_NEAR(scatter("linear_nb", 1000)[2], kLatency + 2 * 1e-6 + 2e-6, kExact);
  EXPECT_NEAR(scatter("linear", 1000)[0], 2 * 2e-6, kExact);
  const std::vector<double> copied = scatter("linear", kMegabyte), read = scatter("linear_nb", kMegabyte);
  EXPECT_NEAR(copied[0], 2 * 2 * kTransfer, kExact);
  EXPECT_NEAR(copied[2], 2 * 2 * kTransfer + kLatency + kTransfer + 2 * kTransfer, kExact);
  EXPECT_NEAR(read[0], kRequest + kLatency + 2 * kTransfer, kExact);
  EXPECT_NEAR(read[2], read[0], kExact);
  EXPECT_NEAR(scatter("linear", kMegabyte + 1)[0], 2 * (kRequest + kLatency + kTransfer), 3 * kExact);
}

/// Open MPI's linear all-to-all makes persistent requests, its other one with all messages at once does not.
TEST_P(Ingredients, PersistentRequestsKeepTheProcessorBusy) {
  constexpr double kRequestMade = 1e-6;
  for (Machine machine : where_receivers_read()) {
    const auto all_to_all = [&](const char* algorithm) {
      return seconds(GetParam(), machine, algorithm, Collective::alltoall, 3, 3000);
    };
    const double plain = all_to_all("linear_sync");
    EXPECT_NEAR(all_to_all("linear"), plain, kExact);
    machine.compute.request_seconds = kRequestMade;
    EXPECT_NEAR(all_to_all("linear_sync"), plain, kExact);
    EXPECT_NEAR(all_to_all("linear"), plain + 4 * kRequestMade, kExact);
  }
}

/// Of four ranks' exchanges by Bruck's algorithm, the blocks of the first, 1 and 3, do not lie together; those of the
/// second, 2 and 3, do.
TEST_P(Ingredients, WhatDoesNotLieTogetherIsCopiedTogetherWhileItFlowsAndApartAtTheEnd) {
  constexpr double kCopy = 1e-6;
  for (const bool shared : {true, false}) {
    NodeShape node = one_core_node();
    node.nics.front().cable.shared = shared;
    Machine machine = free_machine(node, std::make_unique<FatTree>(FatTreeShape{4, {}, 0}));
    network_of(machine).eager_limit_bytes = kMegabyte;
    const auto packing_seconds = [&](double seconds_per_byte, Count count) {
      machine.compute.copy = {kCopy, seconds_per_byte, kUnlimited, seconds_per_byte};
      machine.compute.packs = false;
      const double plain = seconds(GetParam(), machine, "bruck", Collective::alltoall, 4, count);
      machine.compute.packs = true;
      return seconds(GetParam(), machine, "bruck", Collective::alltoall, 4, count) - plain;
    };
    constexpr double fast = 0.25 / kBandwidth, slow = 4 / kBandwidth;
    const double flow = kLatency + 2 * kTransfer, fast_copy = kCopy + 2 * kMegabyte * fast,
                 slow_copy = kCopy + 2 * kMegabyte * slow;
    EXPECT_NEAR(packing_seconds(fast, kMegabyte), fast_copy, kExact) << "behind the flow: only at the end";
    EXPECT_NEAR(packing_seconds(slow, kMegabyte),
                std::max(slow_copy, kLatency + 2 * kMegabyte * slow) + slow_copy - flow, kExact)
        << "no faster than it is copied";
    EXPECT_NEAR(packing_seconds(fast, kMegabyte / 2), 0, kExact) << "eager";
  }
}

/// The root of a binary reduction takes two vectors, but the first child's goes where the result will be.
TEST_P(Ingredients, FreshMemoryOccupiesTheProcessorOnceItIsWrittenTo) {
  Machine machine = crossbar(3);
  const auto reduce = [&](int ranks) {
    return seconds(GetParam(), machine, "binary", Collective::reduce, ranks, kMegabyte);
  };
  const double before = reduce(3), one_child = reduce(2);
  machine.compute.temporary = {1e-9, kMegabyte, kUnlimited};
  EXPECT_NEAR(reduce(3), std::max(before, kTransfer), kExact);  // while the messages are on their way
  machine.compute.temporary = {10e-9, kMegabyte, kUnlimited};
  EXPECT_NEAR(reduce(3), 10 * kTransfer, kExact);
  EXPECT_NEAR(reduce(2), one_child, kExact);
  machine.compute.temporary = {10e-9, kMegabyte + 1, kUnlimited};
  EXPECT_NEAR(reduce(3), before, kExact);
  machine.compute.temporary = {10e-9, kMegabyte / 2, kUnlimited, 2 * kMegabyte};  // one of two doublings
  EXPECT_NEAR(reduce(3), 5 * kTransfer, 10e-9 + kExact);                          // whole bytes
}

/// Rabenseifner's allreduce takes a vector, and receives no more than half of one.
TEST_P(Ingredients, MemoryThatIsNotWrittenToCostsNothing) {
  Machine machine = crossbar(2);
  machine.compute.temporary = {10e-9, kMegabyte, kUnlimited};
  EXPECT_NEAR(seconds(GetParam(), machine, "rabenseifner", Collective::allreduce, 2, kMegabyte),
              5 * kTransfer + 2 * kLatency + kTransfer, kExact);
}

TEST_P(Ingredients, AnAllocatorThatTrimsHandsOutFreshMemory) {
  Machine machine = crossbar(3);
  const auto reduce = [&] { return seconds(GetParam(), machine, "binary", Collective::reduce, 3, kMegabyte); };
  const double before = reduce();
  machine.compute.temporary = {10e-9, 2 * kMegabyte, kMegabyte};
  EXPECT_NEAR(reduce(), 10 * kTransfer, kExact);
  machine.compute.temporary = {10e-9, 2 * kMegabyte, 4 * kMegabyte};  // of two pieces of 1 MB, a third
  EXPECT_NEAR(reduce(), 10 * kTransfer / 3, 10e-9 + kExact);          // whole bytes
  machine.compute.temporary = {10e-9, 2 * kMegabyte, 8 * kMegabyte};
  EXPECT_NEAR(reduce(), before, kExact);
  // one piece alone is no more than once the largest
  machine.compute.temporary = {10e-9, 2 * kMegabyte, kMegabyte};
  EXPECT_LT(seconds(GetParam(), machine, "recursive_doubling", Collective::allreduce, 2, kMegabyte), 2 * kTransfer);
}

/// Recursive doubling receives into one vector of its own, at each step all of it.
TEST_P(Ingredients, AnAdapterIsToldOnceOfFreshMemoryThatItWritesTo) {
  constexpr double kRegistration = 3 * kTransfer;
  for (const int ranks : {2, 4}) {
    Machine machine = crossbar(ranks);
    network_of(machine).eager_limit_bytes = kMegabyte - 1;
    const auto allreduce = [&] {
      return seconds(GetParam(), machine, "recursive_doubling", Collective::allreduce, ranks, kMegabyte);
    };
    const double before = allreduce();
    machine.compute.temporary = {0, kMegabyte, kUnlimited, 0, kRegistration};
    EXPECT_NEAR(allreduce(), before + kRegistration, kExact);
    machine.compute.temporary = {0, kMegabyte / 2, kUnlimited, 2 * kMegabyte, kRegistration};  // half of it is fresh
    EXPECT_NEAR(allreduce(), before + kRegistration / 2, kExact);
    machine.compute.temporary = {0, kMegabyte + 1, kUnlimited, 0, kRegistration};  // registered in earlier calls
    EXPECT_NEAR(allreduce(), before, kExact);
    machine.compute.temporary = {0, kMegabyte, kUnlimited, 0, kRegistration};
    network_of(machine).eager_limit_bytes = kMegabyte;  // processors copy
    const double eager = allreduce();
    machine.compute.temporary = {};
    EXPECT_NEAR(eager, allreduce(), kExact);
  }
}

/// Around a ring, each rank sends all blocks but one of the sum, which is fresh; what it receives into is not.
TEST_P(Ingredients, AnAdapterIsToldOfEachStretchOfFreshMemoryThatItReads) {
  Machine machine = crossbar(5);
  network_of(machine).eager_limit_bytes = 0;
  const auto reduce_scatter = [&] {
    return seconds(GetParam(), machine, "ring", Collective::reduce_scatter, 5, kMegabyte);
  };
  const double before = reduce_scatter();
  machine.compute.temporary = {0, kMegabyte, kUnlimited, 0, 2 * kTransfer};
  EXPECT_NEAR(reduce_scatter(), before + 4 * 2 * kTransfer, kExact);
}

TEST_P(Ingredients, MessagesInsideANodeNeedNoRegistration) {
  Machine machine = load_machine("example-cluster");
  const auto allreduce = [&] {
    return seconds(GetParam(), machine, "recursive_doubling", Collective::allreduce, 4, kMegabyte);
  };
  machine.compute.temporary = {0, kMegabyte, kUnlimited};
  const double before = allreduce();
  machine.compute.temporary.registration_seconds = 1;
  EXPECT_NEAR(allreduce(), before, kExact);
}

TEST_P(Ingredients, AWorkingSetLeavesTheCacheByEqualFactors) {
  Machine machine = crossbar(2);
  machine.compute.reduce = {0, 1e-9, 2 * kMegabyte, 8e-9, true};
  const auto factor = [&](std::int64_t cache) {  // an allreduce works on three vectors: in, out, and one of its own
    machine.compute.reduce.cache_bytes = cache;
    return (seconds(GetParam(), machine, "recursive_doubling", Collective::allreduce, 2, kMegabyte) - kLatency -
            kTransfer) /
           (1e-9 * kMegabyte);
  };
  EXPECT_NEAR(factor(3 * kMegabyte), 1, 1e-5);
  EXPECT_NEAR(factor(3 * kMegabyte - 1), 2, 1e-5);
  EXPECT_NEAR(factor(kMegabyte), 4, 1e-5);
  EXPECT_NEAR(factor(kMegabyte / 2), 8, 1e-5);
  machine.compute.reduce.by_call = false;  // one operation's own bytes
  EXPECT_NEAR(factor(kMegabyte), 1, 1e-5);
  EXPECT_NEAR(factor(kMegabyte - 1), 2, 1e-5);
  EXPECT_NEAR(factor(kMegabyte / 4), 4, 1e-5);
  EXPECT_NEAR(factor(kMegabyte / 4 - 1), 8, 1e-5);
}

}  // namespace
}  // namespace tutti::test
