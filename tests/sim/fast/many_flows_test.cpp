#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <limits>

#include "models/placement.hpp"
#include "sim/fast/max_min_network.hpp"
#include "sim/simulation.hpp"

namespace tutti {
namespace {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

Result all_to_all(const Machine& machine, int ranks, int per_node, std::size_t many_flows,
                  const char* choice = "linear") {
  Experiment one;
  one.c = {Collective::alltoall, ranks, 65536, 1, 0, false, Operator::sum};
  one.choice = parse_choice(Collective::alltoall, choice);
  for (int rank = 0; rank < ranks; ++rank)  // nodes in between stay empty, so that ranks are not in step
    one.core_of_rank.push_back((rank / per_node * 2 + rank / per_node % 2) * machine.network->cores_per_node() +
                               rank % per_node);
  fast::MaxMinNetwork flows(machine, {}, many_flows);
  return Simulation(machine, one, flows).run();
}

/// Rates that are right within half a per cent make times that are: errors do not add up, not along chains of messages
/// either, of which a window of eight makes a dozen.
TEST(ManyFlows, ThatAreCorrectedWhereItMattersTakeWhatTheyTakeWhenCorrectedAtOnce) {
  for (const char* name : {"leonardo-booster", "marenostrum5-acc", "lumi-g"})
    for (const char* choice : {"linear", "scattered:window=8"}) {
      const Machine machine = load_machine(name);
      const Result whole = all_to_all(machine, 96, 4, kNever, choice), rough = all_to_all(machine, 96, 4, 100, choice);
      EXPECT_EQ(rough.messages, whole.messages);
      double most = 0;
      for (std::size_t rank = 0; rank < whole.seconds_per_rank.size(); ++rank)
        most = std::max(most, std::abs(rough.seconds_per_rank[rank] / whole.seconds_per_rank[rank] - 1));
      EXPECT_LT(most, fast::MaxMinNetwork::kNegligibleAmongMany) << name << " " << choice;
      EXPECT_GT(most, 0) << name << " " << choice << ": nothing was left out, so that this compares nothing";
    }
}

TEST(ManyFlows, AreNoneWhereTheReferenceEngineCanBeAsked) {
  const Machine machine = load_machine("leonardo-booster");
  const Result whole = all_to_all(machine, 64, 4, kNever),
               as_usual = all_to_all(machine, 64, 4, fast::MaxMinNetwork::kManyFlows);
  EXPECT_EQ(as_usual.seconds_per_rank, whole.seconds_per_rank);
}

/// Links that are full already seem to give those that begin next to nothing, until they are corrected.
TEST(ManyFlows, ThatBeginOneAfterTheOtherTakeAsLongAsTheirAdaptersNeed) {
  const Machine machine = load_machine("marenostrum5-acc");
  for (const int ranks : {130, 158, 160}) {
    Experiment one;
    one.c = {Collective::allgather, ranks, 67108864 / ranks, 1, 0, false, Operator::sum};
    one.choice = parse_choice(Collective::allgather, "flat");
    one.core_of_rank = place_block(*machine.network, ranks, 1);
    fast::MaxMinNetwork flows(machine);
    const double least = (ranks - 1) * static_cast<double>(one.c.count) / 25e9,
                 seconds = Simulation(machine, one, flows).run().makespan_seconds;
    EXPECT_GT(seconds, least) << ranks;
    EXPECT_LT(seconds, 1.1 * least) << ranks;
  }
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A hundred thousand at once: corrected to the last, they would take minutes.
TEST(ManyFlows, OfAHundredThousandAtOnceAreSimulatedInSeconds) {
  const Machine machine = load_machine("leonardo-booster");
  const double before = processor_seconds();
  const Result result = all_to_all(machine, 320, 4, fast::MaxMinNetwork::kManyFlows);
  EXPECT_LT(processor_seconds() - before, 60);
  EXPECT_EQ(result.messages, 320 * 319);
  // Four ranks of a node send 316 blocks each over one adapter.
  const double least = 4 * 316 * 65536.0 / 25e9;
  EXPECT_GT(result.makespan_seconds, least);
  EXPECT_LT(result.makespan_seconds, 1.5 * least);
}

}  // namespace
}  // namespace tutti
