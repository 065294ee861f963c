// Schedules known to the last message: on a machine on which a message of 1000 bytes takes 2 us (half of it latency)
// and nothing else costs, the times are those of a sum by hand.
#include "calibration/schedgen.hpp"

#include <gtest/gtest.h>

#include "calibration/collective_times.hpp"
#include "tests/sim/machines.hpp"

namespace tutti::test {
namespace {

Machine two_microseconds_a_message() {
  Machine machine = crossbar(16);
  for (auto& transport : machine.transports) transport->eager_limit_bytes = 0;  // a send lasts as long as its message
  return machine;
}

CollectiveRow row(Collective collective, const std::string& schedule, int ranks, std::int64_t bytes) {
  CollectiveRow one;
  one.implementation = "schedgen";
  one.collective = collective;
  one.algorithm = schedule;
  one.ranks = ranks;
  one.ppn = 1;
  one.bytes = bytes;
  return one;
}

/// Of the longest rank, all starting at once.
double alone(const CollectiveRow& one) {
  Machine machine = two_microseconds_a_message();
  machine.compute.reduce.seconds_per_byte = schedgen_compute_seconds_per_byte;
  Choice choice;
  EXPECT_TRUE(choice_of(one, choice)) << one.algorithm;
  const Experiment experiment{case_of(one), choice, cores(one.ranks), {}, 1, false};
  return 1e6 * make_engine("fast")->run(machine, {&experiment, 1}).front().makespan_seconds;
}

/// As measured: in turn with barriers; a small message takes a microsecond.
double in_loop(const CollectiveRow& one) {
  const Machine machine = crossbar(16);
  const CollectiveTimes times(machine, {&one, 1});
  return 1e6 * times.predict(machine, *make_engine("fast"), 1).at(0);
}

TEST(Schedgen, ABinomialTreeTakesAsManyMessagesAsLevelsAndABinaryOneTwoALevel) {
  EXPECT_NEAR(alone(row(Collective::bcast, "binomialtreebcast", 8, 1000)), 6, 1e-6);
  EXPECT_NEAR(alone(row(Collective::bcast, "binomialtreebcast", 5, 1000)), 6, 1e-6);
  EXPECT_NEAR(alone(row(Collective::bcast, "binarytreebcast", 7, 1000)), 8, 1e-6);
}

TEST(Schedgen, DisseminationWaitsANanosecondPerByteBetweenRounds) {
  EXPECT_NEAR(alone(row(Collective::allreduce, "nwaydissemination_nocompute", 8, 1000)), 6, 1e-6);
  EXPECT_NEAR(alone(row(Collective::allreduce, "nwaydissemination", 8, 1000)), 8, 1e-6);
}

TEST(Schedgen, ARingSendsAsManyBlocksAsRanksAndAnAllToAllOneFewer) {
  EXPECT_NEAR(alone(row(Collective::allgather, "pipelinedring", 4, 4000)), 8, 1e-6);
  EXPECT_NEAR(alone(row(Collective::alltoall, "linear_alltoall", 4, 4000)), 6, 1e-6);
}

TEST(Schedgen, UnknownSchedulesAreLeftOut) {
  const CollectiveRow one = row(Collective::bcast, "linear_alltoall", 4, 4000);
  EXPECT_EQ(CollectiveTimes(two_microseconds_a_message(), {&one, 1}).left_out(), 1U);
}

/// Barriers have one round of 1 us a level. Rank 7 ends its broadcast last, enters the barrier last and leaves it
/// first, rank 0 leaves it three rounds later, and rank 7 waits that long for the broadcast to begin.
TEST(CollectiveTimes, ALoopOfBroadcastsAndBarriersMeasuresTheWayThereAndTheWayBack) {
  EXPECT_NEAR(in_loop(row(Collective::bcast, "binomialtreebcast", 8, 1)), 3 + 3, 0.1);
}

TEST(CollectiveTimes, TheMeanOfAllRanksIsTakenWhereItWasMeasured) {
  CollectiveRow one = row(Collective::bcast, "binomialtreebcast", 8, 1);
  const double longest = in_loop(one);
  one.statistic = Statistic::mean;
  EXPECT_LT(in_loop(one), longest - 0.5);
  EXPECT_GT(in_loop(one), 1);
}

TEST(CollectiveTimes, SchedulesWaitANanosecondPerByteWhateverTheMachineComputes) {
  const CollectiveRow waits = row(Collective::allreduce, "nwaydissemination", 8, 1000),
                      not_so = row(Collective::allreduce, "nwaydissemination_nocompute", 8, 1000);
  EXPECT_NEAR(in_loop(waits) - in_loop(not_so), 2, 0.5);
}

}  // namespace
}  // namespace tutti::test
