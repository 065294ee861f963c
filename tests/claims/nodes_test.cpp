// Claims about collectives that know of nodes: MVAPICH2's two levels, and exchanges with the farthest ranks first.
#include <gtest/gtest.h>

#include "tests/claims/simulate.hpp"

namespace tutti::test {
namespace {

/// The largest part of the time that the second algorithm saves of the first one's.
double largest_gain(const Machine& machine, Measured run, const char* flat, const char* by_nodes,
                    const std::vector<std::int64_t>& sizes) {
  double most = -1;
  for (const std::int64_t bytes : sizes) {
    run.bytes = bytes;
    run.algorithm = flat;
    const double before = seconds(machine, run);
    run.algorithm = by_nodes;
    most = std::max(most, 1 - seconds(machine, run) / before);
  }
  return most;
}

/// Published on 4,096 processes: 75 % less for a broadcast, 66 % for an allreduce, at sizes that are not told.
TEST(TwoLevels, SaveMostOfTheTimeOfFlatTreesOn4096Ranks) {
  const Machine machine = load_machine("stampede");
  const std::vector<std::int64_t> sizes = {1 << 10, 8 << 10};
  const double bcast = largest_gain(machine, {Collective::bcast, "", 4096, 16}, "binomial", "hier", sizes);
  const double allreduce =
      largest_gain(machine, {Collective::allreduce, "", 4096, 16}, "recursive_doubling", "hier", sizes);
  RecordProperty("bcast", std::to_string(bcast));
  RecordProperty("allreduce", std::to_string(allreduce));
  EXPECT_GE(bcast, 0.75 / 2);
  EXPECT_LE(1 - bcast, 2 * (1 - 0.75));
  EXPECT_GE(allreduce, 0.66 / 2);
  EXPECT_LE(1 - allreduce, 2 * (1 - 0.66));
}

/// Recursive doubling sends its largest messages farthest. With the distances reversed they stay in the nodes.
TEST(ReversedDistances, SendASixteenthOfTheBlocksBetweenNodesOf16RanksButForThoseToBePutInPlace) {
  const Machine machine = load_machine("stampede");
  const auto between_nodes = [&](const char* algorithm) {
    return simulate(machine, {Collective::allgather, algorithm, 2048, 16, 2048 * 64}).bytes_per_level.at("nic-out");
  };
  const double block = 64, ranks = 2048;
  EXPECT_DOUBLE_EQ(between_nodes("recursive_doubling"), ranks * (2048 - 16) * block);
  const double put_in_place = between_nodes("recexch_halving") / (ranks * block) - 2032.0 / 16;
  EXPECT_GE(put_in_place, 0);
  EXPECT_LT(put_in_place, 1) << "a block of each rank at most is sent to where the others expect it";
}

/// Dorier et al. (2016): broadcasts that know the groups use the links between these far less, and are little faster.
TEST(ADragonflysGroups, AreEnteredByOneCopyOfABroadcastThatIsLittleFaster) {
  const Machine machine = load_machine("cray-xc40");
  const auto run = [&](const char* algorithm) {
    return simulate(machine, {Collective::bcast, algorithm, 2048, 4, 8 << 10});
  };
  const Result by_nodes = run("hier"), by_groups = run("hier(group=binomial)");
  EXPECT_EQ(by_groups.bytes_per_level.at("global"), 8 << 10) << "512 nodes are two groups";
  EXPECT_GE(by_nodes.bytes_per_level.at("global"), 2 * by_groups.bytes_per_level.at("global"));
  EXPECT_LT(by_groups.makespan_seconds, by_nodes.makespan_seconds);
  EXPECT_GT(by_groups.makespan_seconds, by_nodes.makespan_seconds / 2);
}

/// Ours: long messages gain where segments pass from level to level.
TEST(Levels, ThatPassSegmentsMakeALongBroadcastFaster) {
  const Machine machine = load_machine("cray-xc40");
  const auto time = [&](const char* algorithm) {
    return seconds(machine, {Collective::bcast, algorithm, 512, 4, 1 << 20});
  };
  EXPECT_LT(time("hier(group=binomial):segment=65536"), time("hier(group=binomial)") / 1.5);
}

}  // namespace
}  // namespace tutti::test
