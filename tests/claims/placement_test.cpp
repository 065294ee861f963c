// Claims about where ranks are: Sparbit (Loch, Koslovski, SBAC-PAD 2021), copies inside a node (LiMIC), large
// broadcasts on nodes of many cores, and allreduces on tori (Swing).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "algos/registry.hpp"
#include "tests/claims/simulate.hpp"

namespace tutti::test {
namespace {

/// Blocks that leave a node.
double blocks_between_nodes(const Machine& machine, const Measured& run) {
  const auto levels = simulate(machine, run).bytes_per_level;
  return levels.at("nic-out") / (static_cast<double>(run.bytes) / run.ranks);
}

TEST(Sparbit, KeepsBlocksInTheNodeWhereRanksFollowEachOther) {
  const Machine machine = load_machine("stampede");
  const auto blocks = [&](const char* algorithm) {
    return blocks_between_nodes(machine, {Collective::allgather, algorithm, 128, 16, 128 << 10});
  };
  EXPECT_DOUBLE_EQ(blocks("sparbit"), 2944);  // 8 nodes of 16 ranks
  EXPECT_DOUBLE_EQ(blocks("bruck"), 15016);
}

TEST(Sparbit, BeatsBruckInOrderOfRanksAndNotEverywhere) {
  const Machine machine = load_machine("stampede");
  double sum = 0, most = 0;
  int cases = 0, slower_in_cycles = 0;
  for (const int ranks : {48, 80, 112, 128})
    for (const std::int64_t block : {64, 1024, 16384}) {
      const auto time = [&](const char* algorithm, const char* placement) {
        return seconds(machine, {Collective::allgather, algorithm, ranks, 16, block * ranks, "isolated", placement});
      };
      const double gain = 1 - time("sparbit", "block") / time("bruck", "block");
      sum += gain;
      most = std::max(most, gain);
      ++cases;
      slower_in_cycles += time("sparbit", "cyclic") > time("bruck", "cyclic");
    }
  RecordProperty("mean_gain", std::to_string(sum / cases));
  RecordProperty("largest_gain", std::to_string(most));
  EXPECT_GE(sum / cases, 0.347 / 2) << "published: 34.7 % in the mean; soft, within a factor of 2";
  EXPECT_LE(sum / cases, 0.347 * 2);
  EXPECT_GE(most, 0.8416 / 2) << "published: 84.16 % at most";
  EXPECT_GT(slower_in_cycles, 0) << "published: not best everywhere";
}

/// LiMIC copies once what shared memory copies in and out again: large allgathers take up to 20 % less time. How much
/// of the second copy reaches memory is not known: the buffer between may stay in the caches. Both limits are
/// simulated; what is published lies between them.
TEST(OneCopy, GainsForLargeRingAllgathersWhatLiesBetweenABufferInCacheAndOneInMemory) {
  const std::string text = machine_text("stampede");
  const auto two_copies = [&](double memory_share) {
    nlohmann::json machine = nlohmann::json::parse(text);
    auto& memory = machine["node"]["memory"]["bandwidth_bytes_per_second"];
    memory = memory.get<double>() * memory_share;
    for (const char* distance : {"cache", "node"})  // the core copies twice in any case
      for (auto& segment : machine["transport"][distance]["segments"])
        segment["bandwidth_bytes_per_second"] = segment["bandwidth_bytes_per_second"].get<double>() / 2;
    return parse_machine(machine.dump(), "two copies");
  };
  const Machine one = parse_machine(text, "one copy"), in_cache = two_copies(1), in_memory = two_copies(0.5);
  for (const std::int64_t block : {256 << 10, 1 << 20}) {
    const Measured run{Collective::allgather, "ring", 64, 16, 64 * block};
    const double least = 1 - seconds(one, run) / seconds(in_cache, run);
    const double most = 1 - seconds(one, run) / seconds(in_memory, run);
    RecordProperty("gain_" + std::to_string(block), std::to_string(least) + " to " + std::to_string(most));
    EXPECT_LE(least, 0.20);
    EXPECT_GE(least, -1e-6);
    EXPECT_GE(most, 0.20);
  }
}

/// Libraries differ by 2.7 and 8.3 times on 8 x 36 ranks of BM.HPC2.36 between 32 KiB and 1 MiB: 2 to 8 times, or
/// twice, between a tree over all ranks and the same one among the nodes and then in each.
TEST(LargeBroadcast, OfManyRanksANodeIsSeveralTimesFasterByNodes) {
  const Machine machine = load_machine("oci-bm-hpc2-36");
  for (const std::int64_t bytes : {32 << 10, 256 << 10, 1 << 20}) {
    const double by_nodes = seconds(machine, {Collective::bcast, "binomial", 8, 1, bytes}) +
                            seconds(machine, {Collective::bcast, "binomial", 36, 36, bytes});
    const double ratio = seconds(machine, {Collective::bcast, "binomial", 288, 36, bytes}) / by_nodes;
    RecordProperty("ratio_" + std::to_string(bytes), std::to_string(ratio));
    EXPECT_GE(ratio, 2.0);
    EXPECT_LE(ratio, 2 * 8.0) << "twice the band: above 32 KiB, a binomial tree of all ranks is no library's choice";
  }
}

/// De Sensi et al. (NSDI 2024): up to 3 times as fast as the best other allreduce on tori, and not on full fat trees.
TEST(Swing, IsUpToThriceAsFastAsAnyOtherAllreduceOnATorusAndNotOnAFatTree) {
  const auto gain = [](const char* name) {
    const Machine machine = load_machine(name);
    const auto time = [&](const Choice& choice) {
      return seconds(machine, {Collective::allreduce, choice.text(), 64, 1, 8 << 20});
    };
    double best = std::numeric_limits<double>::infinity();
    for (const Algorithm* algorithm : algorithms_of(Collective::allreduce)) {
      const Choice choice = default_choice(*algorithm);
      const Case c{Collective::allreduce, 64, 1 << 21, 4, 0, false, Operator::sum};
      const bool is_swing = algorithm->name().starts_with("swing");
      if (!is_swing && why_not(choice, c).empty()) best = std::min(best, time(choice));
    }
    return best / time(parse_choice(Collective::allreduce, "swing:dimensions=2:both_ways=1"));
  };
  const double on_torus = gain("fugaku"), on_tree = gain("marenostrum5-acc");
  RecordProperty("on_torus", std::to_string(on_torus));
  RecordProperty("on_tree", std::to_string(on_tree));
  EXPECT_GE(on_torus, 1.5);
  EXPECT_LE(on_torus, 3);
  EXPECT_LE(on_tree, 1.1);
}

}  // namespace
}  // namespace tutti::test
