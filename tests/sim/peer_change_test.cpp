#include <gtest/gtest.h>

#include "models/machine_files.hpp"
#include "tests/sim/machines.hpp"

// Where connections are made anew for another peer, that costs when the peer changes, and only then.

namespace tutti::test {
namespace {

constexpr double kSendGap = 20e-6, kReceiveGap = 7e-6;

/// A crossbar, of which jobs of more than two ranks make connections anew.
Machine changing(int nodes, double gap_seconds, double receive_seconds) {
  return with_larger_jobs(crossbar(nodes), 2, [&](Transport& transport) {
    transport.peer_change_send_gap_seconds = gap_seconds;
    transport.peer_change_receive_gap_seconds = receive_seconds;
  });
}

TUTTI_ON_EVERY_ENGINE(PeerChange);

TEST_P(PeerChange, MakesTheGapLongerBeforeAMessageToAnotherPeer) {
  const auto last = [&](int ranks) {
    return run(GetParam(), changing(ranks, kSendGap, 0), experiment(Collective::scatter, "linear", ranks, 1))
        .seconds_per_rank.back();
  };
  const double one = kLatency + 1e-9;
  EXPECT_NEAR(last(2), one, kExact);  // a job that keeps its connections
  EXPECT_NEAR(last(3), kSendGap + one, kExact);
  EXPECT_NEAR(last(5), 3 * kSendGap + one, kExact);
}

TEST_P(PeerChange, KeepsReceivesFromDifferentPeersApart) {
  const auto root = [&](int ranks) {
    return run(GetParam(), changing(ranks, 0, kReceiveGap), experiment(Collective::gather, "linear", ranks, 1))
        .seconds_per_rank.front();
  };
  EXPECT_NEAR(root(2), kLatency + 1e-9, kExact);
  EXPECT_NEAR(root(3), kLatency + 2e-9 + kReceiveGap, kExact);
  EXPECT_NEAR(root(5), kLatency + 4e-9 + 3 * kReceiveGap, kExact);
}

/// Around a ring a rank hears of one neighbour and speaks to the other, again and again.
TEST_P(PeerChange, CostsNothingWhereThePeerStays) {
  const auto ring = [&](double gap_seconds, double receive_seconds) {
    return run(GetParam(), changing(5, gap_seconds, receive_seconds),
               experiment(Collective::allgather, "ring", 5, kMegabyte))
        .makespan_seconds;
  };
  const double without = ring(0, 0);
  EXPECT_NEAR(without, 4 * (kLatency + kTransfer), kExact);
  EXPECT_NEAR(ring(kSendGap, 0), without, kExact);  // the first gaps are over before the second message
  EXPECT_NEAR(ring(0, kReceiveGap), without, kExact);
}

/// And is read from the machine's file.
TEST_P(PeerChange, TakesALinearScatterAcrossTheLimitOfLeonardo) {
  const Machine machine = load_machine("leonardo-booster");
  const auto per_rank = [&](int ranks) {
    Experiment one = experiment(Collective::scatter, "linear", ranks, 1);
    for (int rank = 0; rank < ranks; ++rank)
      one.core_of_rank[static_cast<std::size_t>(rank)] = rank * machine.network->cores_per_node();
    return run(GetParam(), machine, one).makespan_seconds / ranks;
  };
  EXPECT_NEAR(per_rank(256), 0.24e-6, 0.03e-6);
  EXPECT_NEAR(per_rank(257), 0.64e-6, 0.03e-6);
}

}  // namespace
}  // namespace tutti::test
