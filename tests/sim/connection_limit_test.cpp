#include <gtest/gtest.h>

#include "models/machine_files.hpp"
#include "sim/point_to_point.hpp"
#include "tests/sim/machines.hpp"

// Where a connection has one of several ports, what a rank sends to one other is slower than what it sends to several.

namespace tutti::test {
namespace {

constexpr double kSlower = 4;

/// A crossbar, of which jobs of more than two ranks have connections of a quarter of the adapters' rate.
Machine limited(int nodes) {
  return with_larger_jobs(crossbar(nodes), 2, [](Transport& transport) {
    transport.connection_bytes_per_second = kMegabyte / kTransfer / kSlower;
  });
}

double seconds(const std::string& engine, Collective collective, const std::string& choice, int ranks) {
  return run(engine, limited(ranks), experiment(collective, choice, ranks, kMegabyte)).makespan_seconds;
}

TUTTI_ON_EVERY_ENGINE(ConnectionLimit);

TEST_P(ConnectionLimit, SlowsOneConnectionOfALargerJob) {
  EXPECT_NEAR(seconds(GetParam(), Collective::scatter, "linear", 2), kLatency + kTransfer, kExact);
  EXPECT_NEAR(seconds(GetParam(), Collective::scatter, "linear", 3), kLatency + kSlower * kTransfer, kExact);
}

TEST_P(ConnectionLimit, IsInWhatTheFormulaSays) {
  for (const double rate : {4e5, 2.5e8, 9e8, 1e12})
    for (const std::int64_t bytes : {std::int64_t{8}, std::int64_t{100'000}, std::int64_t{4} << 20}) {
      Machine machine = load_machine("example-cluster");
      for (auto& transport : machine.transports) transport->connection_bytes_per_second = rate;
      for (const int core : {1, 4, machine.network->cores_per_node()}) {
        const double simulated = one_way_seconds(*make_engine(GetParam()), machine, {0, core}, bytes);
        EXPECT_NEAR(machine.message_seconds(0, core, bytes), simulated, 1e-9 * simulated + 2e-12)
            << rate << " " << bytes;
      }
    }
}

TEST_P(ConnectionLimit, LeavesTheAdapterToSeveral) {
  EXPECT_NEAR(seconds(GetParam(), Collective::scatter, "linear", 5), kLatency + kSlower * kTransfer, kExact);
  EXPECT_NEAR(seconds(GetParam(), Collective::scatter, "linear", 9), kLatency + 2 * kSlower * kTransfer, kExact);
}

/// Both halves of what the first rank sends are posted at once: the second flows when the first has.
TEST_P(ConnectionLimit, IsOfAllMessagesOfAConnectionTogether) {
  const double half = kSlower * kTransfer / 2;
  EXPECT_NEAR(seconds(GetParam(), Collective::bcast, "pipeline:segment=500000", 3), 2 * kLatency + 3 * half, kExact);
}

/// The root posts all its sends at once.
TEST_P(ConnectionLimit, MayMakeTheSenderCopyWhatItDoesNotWaitFor) {
  const auto last = [&](int ranks, bool copy) {
    Machine machine = crossbar(ranks);
    for (auto& transport : machine.transports) {
      transport->blocking_eager_limit_bytes = transport->eager_limit_bytes;
      transport->eager_copy_seconds_per_byte = 1e-8;
    }
    machine = with_larger_jobs(machine, 2, [copy](Transport& transport) { transport.connections_copy = copy; });
    return run(GetParam(), machine, experiment(Collective::scatter, "linear_nb", ranks, 1000)).seconds_per_rank.back();
  };
  constexpr double kCopy = 1e-5;
  EXPECT_NEAR(last(2, true), last(2, false), kExact) << "a job of two";
  EXPECT_NEAR(last(4, true), last(4, false) + 3 * kCopy - 2e-6, kExact) << "where adapters were what it waited for";
}

/// And is read from the machine's file.
TEST(ConnectionLimitOfLeonardo, HalvesTheRateOfARing) {
  const Machine machine = load_machine("leonardo-booster");
  const auto step = [&](int ranks) {
    Experiment one = experiment(Collective::allgather, "ring", ranks, 4 * kMegabyte);
    for (int rank = 0; rank < ranks; ++rank)
      one.core_of_rank[static_cast<std::size_t>(rank)] = rank * machine.network->cores_per_node();
    return run("fast", machine, one).makespan_seconds / (ranks - 1);
  };
  EXPECT_NEAR(step(257) / step(256), 1.9, 0.15);
}

}  // namespace
}  // namespace tutti::test
