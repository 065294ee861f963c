#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "sim/fast/find_symmetry.hpp"
#include "tests/neighbors.hpp"
#include "tests/sim/fast/contention_free/machines.hpp"

// The contention-free simulation gives what the event loop gives, on machines of every kind without contention.

namespace tutti::test {
namespace {

struct Tally {
  int cases = 0, without_result = 0, different = 0;
  double worst = 0;  // difference of a rank's time, of the makespan
  std::string last_different;
};

/// All algorithms on 1 to 33 ranks spread over the machine in three ways; every stride-th case.
template <class Check>
void for_cases(const Machine& machine, const std::vector<const char*>& modes, int stride, Check check) {
  int number = 0;
  for (const Algorithm& algorithm : registry())
    for (int ranks = 1; ranks <= 33; ++ranks)
      for (const std::int64_t bytes : {0, 8, 1000, 70'000, 1'000'000})
        for (const char* mode : modes) {
          const int room = machine.network->cores() / ranks;
          if (room < 1 || ++number % stride != 0) continue;
          Case c{algorithm.collective(), ranks, 0, default_element_bytes(algorithm.collective()), 0, false,
                 Operator::sum};
          c.count = count_for_total_bytes(c.collective, ranks, c.element_bytes, bytes / 4 * 4);
          c.root = is_rooted(c.collective) ? number % ranks : 0;
          c = among_some_neighbors(c);
          const Choice choice = default_choice(algorithm);
          if (!why_not(choice, c).empty()) continue;
          const int apart = std::min(room, ranks % 3 == 0 ? 1 : ranks % 3 == 1 ? machine.network->cores_per_node() : 3);
          check(Experiment{c, choice, spread(ranks, apart), parse_mode(mode), 7, false});
        }
}

std::string case_text(const Machine& machine, const Experiment& e) {
  return e.choice.algorithm->full_name() + " on " + machine.name + ", " + std::to_string(e.c.ranks) + " ranks, " +
         std::to_string(total_bytes(e.c)) + " bytes, " + e.mode.text();
}

Tally tally(const Machine& machine, const std::vector<const char*>& modes, int stride) {
  Tally all;
  for_cases(machine, modes, stride, [&](const Experiment& one) {
    ++all.cases;
    const std::optional<Result> result = fast::ContentionFreeSimulation(machine, one).run();
    if (!result) {
      ++all.without_result;
      return;
    }
    const Result expected = in_order_of_time(machine, one);
    EXPECT_EQ(result->messages, expected.messages) << case_text(machine, one);
    EXPECT_EQ(result->bytes_per_level, expected.bytes_per_level) << case_text(machine, one);
    double most = std::abs(result->makespan_seconds - expected.makespan_seconds);
    for (std::size_t r = 0; r < expected.seconds_per_rank.size(); ++r)
      most = std::max(most, std::abs(result->seconds_per_rank[r] - expected.seconds_per_rank[r]));
    if (most <= 1e-9 * expected.makespan_seconds + 1e-11) return;
    ++all.different;
    all.worst = std::max(all.worst, most / expected.makespan_seconds);
    all.last_different = case_text(machine, one);
  });
  return all;
}

/// With every ingredient that a machine may have, except that which makes messages share.
Machine with_all_costs(Machine machine) {
  for (auto& transport : machine.transports)
    if (transport) {
      transport->eager_copy_seconds_per_byte = 0.03e-9;
      transport->receiver_reads = true;
      transport->acknowledged_above_bytes = 500;
      transport->acknowledgement_seconds = 0.3e-6;
      transport->blocking_eager_limit_bytes = 3 * std::min<std::int64_t>(transport->eager_limit_bytes, 100'000);
    }
  machine.compute.copy.by_call = machine.compute.reduce.by_call = true;
  machine.compute.copy.cache_bytes = machine.compute.reduce.cache_bytes = 100'000;
  machine.compute.temporary = {0.07e-9, 500'000, 20'000, 0, 0.3e-6};
  return machine;
}

std::vector<Machine> machines() {
  std::vector<Machine> all;
  for (const char* name : {"example-cluster", "azure-hbv4", "lumi-g"}) {
    all.push_back(without_contention(load_machine(name), 33));
    all.push_back(without_links(load_machine(name)));
  }
  all.push_back(without_contention(with_all_costs(load_machine("example-cluster")), 33));
  return all;
}

/// A sample of the cases, and in the slow tests all of them. Prime, so that all sizes, ranks and modes are in it.
int stride(int sampled = 41) { return std::getenv("TUTTI_ALL_CASES") ? 1 : sampled; }

TEST(ContentionFreeSimulation, AgreesWithTheEventLoopToAPicosecondButForTies) {
  for (const Machine& machine : machines()) {
    const Tally all = tally(detuned(machine, 1), {"skew:1e-6"}, stride());
    EXPECT_GT(all.cases, 2'000 / stride());
    // Messages that two ranks have announced begin to flow at one instant where both receives are posted at one.
    // One in 5,000 at most; a sample may hold one all the same.
    EXPECT_LE(all.different, std::max(1, all.cases / 5'000)) << all.last_different;
    EXPECT_LT(all.worst, 0.02) << all.last_different;
    // Messages overtake each other where ranks are folded and in falling back, as Bine trees do on odd numbers, and
    // where a two-level algorithm works on both levels at once.
    EXPECT_LE(all.without_result, all.cases / 30) << machine.name;
  }
}

// Ranks that do the same get messages at the same instant, and which one comes first may decide what waits for it.
TEST(ContentionFreeSimulation, DiffersFromTheEventLoopOnlyWhereThingsHappenAtOneInstant) {
  Tally all;
  for (const Machine& machine : machines()) {
    const Tally one = tally(detuned(machine, 1), {"isolated", "barrier", "back-to-back:3"}, stride(97));
    all.cases += one.cases;
    all.without_result += one.without_result;
    all.different += one.different;
    all.worst = std::max(all.worst, one.worst);
  }
  RecordProperty("cases", all.cases);
  RecordProperty("different", all.different);
  EXPECT_LE(all.different, all.cases / 500 + 1);
  EXPECT_LT(all.worst, 0.1);
}

// Where some ranks stand for all. The others are those that the event loop simulates.
TEST(ContentionFreeSimulation, GivesWithTheRanksOfOneBlockWhatTheEventLoopGivesWithAll) {
  int folded = 0, different = 0;
  for (const Machine& given : machines()) {
    const Machine machine = detuned(given, 1);
    for_cases(machine, {"isolated", "barrier", "back-to-back:3"}, stride(), [&](const Experiment& one) {
      const Symmetry symmetry = fast::find_symmetry(machine, one);
      if (symmetry.is_trivial()) return;
      const std::optional<Result> result = fast::ContentionFreeSimulation(machine, one, symmetry.ranks).run();
      if (!result) return;
      ++folded;
      const Result expected = in_order_of_time(machine, one);
      EXPECT_EQ(result->messages, expected.messages) << case_text(machine, one);
      EXPECT_EQ(result->bytes_per_level, expected.bytes_per_level) << case_text(machine, one);
      bool same = true;
      for (std::size_t r = 0; r < expected.seconds_per_rank.size(); ++r)
        same &= std::abs(result->seconds_per_rank[r] - expected.seconds_per_rank[r]) <= 1e-11;
      different += !same;
    });
  }
  RecordProperty("folded", folded);
  RecordProperty("different", different);
  EXPECT_GT(folded, 2'000 / stride());
  EXPECT_LE(different, folded / 500 + 1);
}

// With round figures, sums of different figures are equal by chance.
TEST(ContentionFreeSimulation, DiffersSeldomOnMachinesWithRoundFigures) {
  for (const Machine& machine : machines()) {
    const Tally all = tally(machine, {"isolated", "barrier", "back-to-back:3", "skew:1e-6"}, 3 * stride(67));
    EXPECT_LE(all.different, all.cases / 10) << machine.name;
    EXPECT_LT(all.worst, 0.25) << machine.name;
  }
}

TEST(ContentionFreeSimulation, AgreesWhereNothingTakesTimeButBytes) {
  Machine machine = without_contention(load_machine("example-cluster"), 33);
  for (auto& transport : machine.transports)
    if (transport) {
      transport->send_overhead_seconds = transport->receive_overhead_seconds = transport->gap_seconds = 0;
      transport->rendezvous_seconds = 0;
      for (Segment& segment : transport->segments) segment.latency_seconds = 0;
    }
  machine.compute = {{0, 0, INT64_MAX, 0}, {0, 0, INT64_MAX, 0}, {}};
  // Both levels of a two-level algorithm then come to a rank at one instant.
  const Tally all = tally(machine, {"isolated"}, stride());
  EXPECT_LE(all.different, all.cases / 500 + 1);
  EXPECT_LT(all.worst, 0.1);
}

}  // namespace
}  // namespace tutti::test
