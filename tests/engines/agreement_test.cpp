#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "algos/sizes.hpp"
#include "tests/engines/machines.hpp"

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
    const Choice choice = default_choice(algorithm);
    if (!why_not(choice, c).empty()) continue;
    Experiment one{c, choice, {}, parse_mode("isolated"), static_cast<std::uint64_t>(all.size()), false};
    const int stride = 1 + below(static_cast<std::size_t>(machine.network->cores() / ranks));
    for (int rank = 0; rank < ranks; ++rank) one.core_of_rank.push_back(rank * stride);
    all.push_back(one);
  }
  return all;
}

TEST(Agreement, OfFastAndSimGridIsTightOnRandomExperiments) {
  const auto names = engine_names();
  if (std::find(names.begin(), names.end(), "simgrid") == names.end()) GTEST_SKIP() << "built without SimGrid";
  int drawn_in_all = 0, apart = 0;
  for (const char* name : {"example-cluster", "azure-hbv4", "lumi-g", "leonardo-booster", "cray-xc40"}) {
    const Machine machine = load_machine(name);
    const std::vector<Experiment> experiments = drawn(machine, 60, 11);
    const auto fast = make_engine("fast")->run(machine, experiments);
    const auto simgrid = make_engine("simgrid")->run(machine, experiments);
    for (std::size_t i = 0; i < experiments.size(); ++i) {
      const double difference = std::abs(fast[i].makespan_seconds / simgrid[i].makespan_seconds - 1);
      ++drawn_in_all;
      if (simgrid[i].makespan_seconds == 0 ? fast[i].makespan_seconds == 0 : difference < 1e-6) continue;
      ++apart;
      EXPECT_LT(difference, 0.1) << name << ": " << experiments[i].choice.algorithm->full_name() << " on "
                                 << experiments[i].c.ranks << " ranks, " << total_bytes(experiments[i].c) << " bytes, "
                                 << experiments[i].mode.text();
    }
    for (std::size_t i = 0; i < experiments.size(); ++i) {
      EXPECT_EQ(fast[i].messages, simgrid[i].messages);
      EXPECT_EQ(fast[i].bytes_per_level, simgrid[i].bytes_per_level);
    }
  }
  // What happens at the very same instant may be taken in another order, and then decide something.
  EXPECT_LE(apart, drawn_in_all / 100);
}

}  // namespace
}  // namespace tutti::test
