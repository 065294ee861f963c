#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "models/layout.hpp"
#include "sim/fast/max_min_network.hpp"
#include "sim/simulation.hpp"
#include "tests/sim/fast/draw.hpp"

// Random machines, algorithms, numbers of ranks and sizes, the same ones on every run.

namespace tutti::test {
namespace {

/// What an event takes at least: on an idle machine.
double least_seconds(const Machine& machine, const Experiment& one, const TraceEvent& event) {
  if (event.kind != TraceEvent::Kind::message) return 0;
  const auto core = [&](Rank rank) { return one.core_of_rank[static_cast<std::size_t>(rank)]; };
  return idle_seconds(machine, core(event.rank), core(event.peer), event.bytes);
}

constexpr int kCases = 10'000;

TEST(Fuzz, TimesAreSoundOnTenThousandRandomMachines) {
  const auto engine = make_engine("fast");
  for (int i = 0; i < kCases; ++i) {
    Draw draw(static_cast<unsigned>(i) + 1);
    const Machine machine = draw_machine(draw);
    const Experiment one = draw_experiment(draw, machine);
    SCOPED_TRACE("case " + std::to_string(i) + ": " + one.choice.algorithm->full_name() + " on " +
                 std::to_string(one.c.ranks) + " ranks, " + std::to_string(total_bytes(one.c)) + " bytes");
    const Result result = engine->run(machine, std::span(&one, 1)).front();
    ASSERT_EQ(result.refused, "");
    ASSERT_TRUE(std::isfinite(result.makespan_seconds) && result.makespan_seconds >= 0);
    for (const double seconds : result.seconds_per_rank) ASSERT_TRUE(std::isfinite(seconds) && seconds >= 0);
    // The longest chain of events that had to wait for each other, each as fast as on an idle machine.
    std::vector<double> chain(result.trace.size());
    for (std::size_t e = 0; e < result.trace.size(); ++e) {
      const TraceEvent& event = result.trace[e];
      ASSERT_GE(event.started_seconds, event.posted_seconds);
      ASSERT_GE(event.ended_seconds, event.started_seconds);
      // What a rank did after it had a message; after it had sent one, the message may still be under way.
      const bool waited = event.after != TraceEvent::kNone && event.after < static_cast<std::int64_t>(e);
      const std::size_t after = waited ? static_cast<std::size_t>(event.after) : e;
      const double before = waited && result.trace[after].peer == event.rank ? chain[after] : 0;
      chain[e] = before + least_seconds(machine, one, event);
      ASSERT_GE(event.ended_seconds - event.started_seconds, least_seconds(machine, one, event) - 1e-12);
      ASSERT_GE(event.ended_seconds, chain[e] - 1e-9) << "event " << e;
    }
  }
}

// Ranks may stand for each other, and where nothing is shared all may be worked off one by one. What happens at one
// instant may then happen in another order, with other times.
TEST(Fuzz, ShortcutsChangeNoTimeInAnyMode) {
  const auto engine = make_engine("fast");
  for (int i = 0; i < kCases; ++i) {
    Draw draw(static_cast<unsigned>(i) + 1'000'003, Ties::few);
    const Machine machine = draw_machine(draw);
    Experiment one = draw_experiment(draw, machine);
    const char* modes[] = {"isolated", "barrier", "back-to-back:3", "skew:2e-6"};
    one.mode = parse_mode(modes[draw.below(4)]);
    SCOPED_TRACE("case " + std::to_string(i) + ": " + one.choice.algorithm->full_name() + " on " +
                 std::to_string(one.c.ranks) + " ranks, " + std::to_string(total_bytes(one.c)) + " bytes, root " +
                 std::to_string(one.c.root) + ", " + one.mode.text());
    fast::MaxMinNetwork flows(machine);
    const Result recorded = Simulation(machine, one, flows).run();
    one.record = false;
    const Result result = engine->run(machine, std::span(&one, 1)).front();
    ASSERT_EQ(result.refused, "");
    ASSERT_EQ(result.bytes_per_level, recorded.bytes_per_level);
    for (std::size_t rank = 0; rank < recorded.seconds_per_rank.size(); ++rank) {
      const double seconds = result.seconds_per_rank[rank];
      ASSERT_TRUE(std::isfinite(seconds) && seconds >= 0);
      EXPECT_NEAR(seconds, recorded.seconds_per_rank[rank], 1e-9 * seconds + 1e-11) << "rank " << rank;
    }
  }
}

TEST(Fuzz, TheSameExperimentGivesTheSameBytesAgainAndOnAnotherThread) {
  Draw draw(77);
  const Machine machine = draw_machine(draw);
  std::vector<Experiment> many;
  for (int i = 0; i < 20; ++i) many.push_back(draw_experiment(draw, machine));
  const auto engine = make_engine("fast");
  const auto first = engine->run(machine, many);
  std::vector<Result> second;
  std::thread([&] { second = engine->run(machine, many); }).join();
  for (std::size_t i = 0; i < many.size(); ++i) {
    EXPECT_EQ(first[i].seconds_per_rank, second[i].seconds_per_rank);
    EXPECT_EQ(first[i].bytes_per_level, second[i].bytes_per_level);
    const std::vector<int> nodes = nodes_of(*machine.network, many[i].core_of_rank);
    EXPECT_EQ(chrome_trace(first[i], nodes), chrome_trace(second[i], nodes));
    EXPECT_EQ(engine->run(machine, std::span(&many[i], 1)).front().seconds_per_rank, first[i].seconds_per_rank);
  }
}

}  // namespace
}  // namespace tutti::test
