#include <gtest/gtest.h>
#include <sys/resource.h>

#include "models/machine.hpp"
#include "sim/fast/max_min_network.hpp"
#include "sim/simulation.hpp"

namespace tutti::test {
namespace {

long pages_touched() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

/// By the state of the network's links and two ranks that send to each other over them.
long pages_of_two_ranks(const Machine& machine) {
  const Case c{Collective::allgather, 2, 4096, 1, 0, false, Operator::sum};
  const Experiment one{c, parse_choice(Collective::allgather, "ring"), {0, machine.network->cores() - 1}, {}, 1, false};
  const long before = pages_touched();
  fast::MaxMinNetwork flows(machine);
  EXPECT_EQ(Simulation(machine, one, flows).run().messages, 2);
  return pages_touched() - before;
}

TEST(LazyLinks, TwoRanksOfALargeMachineTouchNoStateOfTheLinksTheyDoNotUse) {
  const Machine machine = load_machine("archer2");
  constexpr std::size_t kPage = 4096;
  const std::size_t pages_of_all = machine.network->links().size() * 64 / kPage;
  ASSERT_GT(pages_of_all, 1000U);
  pages_of_two_ranks(machine);  // what is needed once and stays
  EXPECT_LT(pages_of_two_ranks(machine), 100);
}

}  // namespace
}  // namespace tutti::test
