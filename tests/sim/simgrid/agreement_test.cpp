#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "base/sizes.hpp"
#include "tests/neighbors.hpp"
#include "tests/sim/machines.hpp"

// The fast engine gives what SimGrid gives: both share links max-min fairly, and the rest is common to both.

namespace tutti::test {
namespace {

/// Experiments of all kinds on a machine, the same ones on every run.
std::vector<Experiment> drawn(const Machine& machine, int count, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<int>(random() % n); };
  const std::vector<int> rank_counts{2, 3, 5, 7, 8, 9, 12, 13, 16, 17, 31, 33};
  const std::vector<std::int64_t> sizes{0, 8, 100, 4096, 30'000, 65'536, 1'000'000, 4'194'304};
  std::vector<Experiment> all;
  while (static_cast<int>(all.size()) < count) {
    const Algorithm& algorithm = registry()[static_cast<std::size_t>(below(registry().size()))];
    const int ranks = rank_counts[static_cast<std::size_t>(below(rank_counts.size()))];
    Case c{algorithm.collective(), ranks, 0, default_element_bytes(algorithm.collective()), 0, false, Operator::sum};
    const std::int64_t bytes = sizes[static_cast<std::size_t>(below(sizes.size()))];
    c.count = count_for_total_bytes(c.collective, ranks, c.element_bytes, bytes / 4 * 4);
    c = among_some_neighbors(c);
    const Choice choice = default_choice(algorithm);
    if (!why_not(choice, c).empty()) continue;
    Experiment one{c, choice, {}, parse_mode("isolated"), static_cast<std::uint64_t>(all.size()), false};
    const int stride = 1 + below(static_cast<std::size_t>(machine.network->cores() / ranks));
    for (int rank = 0; rank < ranks; ++rank) one.core_of_rank.push_back(rank * stride);
    all.push_back(one);
  }
  return all;
}

bool agree(const Result& fast, const Result& simgrid) {
  if (simgrid.makespan_seconds == 0) return fast.makespan_seconds == 0;
  return std::abs(fast.makespan_seconds / simgrid.makespan_seconds - 1) < 1e-6;
}

/// Whether both give the same once every figure of the machine is another by less than a percent: then sums of few of
/// them, which ties are made of, are not equal any more.
bool agree_without_ties(Machine machine, const Experiment& one) {
  double more = 1;
  const auto change = [&more](double& seconds) { seconds *= more += 0.000173; };
  for (auto& transport : machine.transports) {
    if (!transport) continue;
    change(transport->send_overhead_seconds);
    change(transport->receive_overhead_seconds);
    change(transport->gap_seconds);
    change(transport->rendezvous_seconds);
    for (Segment& segment : transport->segments) change(segment.latency_seconds);
  }
  change(machine.compute.copy.overhead_seconds);
  change(machine.compute.reduce.overhead_seconds);
  return agree(run("fast", machine, one), run("simgrid", machine, one));
}

/// Both engines settle in their own ways what happens at the very same instant; where they differ, nothing else may be
/// the reason.
TEST(Agreement, OfFastAndSimGridIsExactOnRandomExperimentsButForTies) {
  const auto names = engine_names();
  if (std::find(names.begin(), names.end(), "simgrid") == names.end()) GTEST_SKIP() << "built without SimGrid";
  const unsigned most = std::getenv("TUTTI_SLOW_TESTS") ? 4 : 1;
  for (const char* name : {"example-cluster", "azure-hbv4", "lumi-g", "leonardo-booster", "cray-xc40"}) {
    const Machine machine = load_machine(name);
    std::vector<Experiment> experiments;
    for (unsigned seed = 11; seed < 11 + most; ++seed)
      for (const Experiment& one : drawn(machine, 60, seed)) experiments.push_back(one);
    const auto fast = make_engine("fast")->run(machine, experiments);
    const auto simgrid = make_engine("simgrid")->run(machine, experiments);
    for (std::size_t i = 0; i < experiments.size(); ++i) {
      const std::string what = std::string(name) + ": " + experiments[i].choice.algorithm->full_name() + " on " +
                               std::to_string(experiments[i].c.ranks) + " ranks, " +
                               std::to_string(total_bytes(experiments[i].c)) + " bytes";
      EXPECT_EQ(fast[i].messages, simgrid[i].messages) << what;
      EXPECT_EQ(fast[i].bytes_per_level, simgrid[i].bytes_per_level) << what;
      if (agree(fast[i], simgrid[i])) continue;
      EXPECT_TRUE(agree_without_ties(machine, experiments[i])) << what;
      EXPECT_NEAR(fast[i].makespan_seconds / simgrid[i].makespan_seconds, 1, 0.1) << what;
    }
  }
}

}  // namespace
}  // namespace tutti::test
