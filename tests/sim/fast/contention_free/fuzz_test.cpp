#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <thread>

#include "tests/neighbors.hpp"
#include "tests/sim/fast/contention_free/machines.hpp"
#include "tests/sim/machines.hpp"

// Machines without contention, drawn at random: what must hold of any of them.

namespace tutti::test {
namespace {

struct Draw {
  explicit Draw(unsigned seed) : random(seed) {}
  int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
  /// Evenly among orders of magnitude.
  double figure(double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<double>(0, 1)(random));
  }
  std::mt19937 random;
};

/// Sometimes free of what has no bandwidth, sometimes without links, sometimes with rendezvous from one byte on.
Machine drawn_machine(Draw& draw) {
  Machine machine = load_machine("example-cluster");
  machine = draw.below(3) == 0 ? without_links(machine) : without_contention(machine, 17);
  for (auto& transport : machine.transports) {
    if (!transport) continue;
    const auto cost = [&] { return draw.below(4) == 0 ? 0 : draw.figure(1e-9, 1e-5); };
    transport->send_overhead_seconds = cost();
    transport->receive_overhead_seconds = cost();
    transport->gap_seconds = cost();
    transport->rendezvous_seconds = cost();
    transport->eager_limit_bytes = draw.below(4) == 0 ? 0 : draw.below(100'000);
    transport->receiver_reads = transport->eager_limit_bytes % 2 == 1;
    transport->acknowledged_above_bytes = transport->eager_limit_bytes % 3;
    transport->acknowledgement_seconds = transport->gap_seconds;
    for (Segment& segment : transport->segments) {
      segment.latency_seconds = cost();
      segment.bandwidth_bytes_per_second = draw.figure(1e8, 1e11);
    }
  }
  for (Compute::Rate* rate : {&machine.compute.reduce, &machine.compute.copy})
    *rate = {draw.figure(1e-9, 1e-6), draw.figure(1e-12, 1e-9), INT64_MAX, 1e-9, false};
  return machine;
}

Experiment drawn_experiment(Draw& draw, const Machine& machine) {
  for (;;) {
    const Algorithm& algorithm = registry()[static_cast<std::size_t>(draw.below(static_cast<int>(registry().size())))];
    const int ranks = 1 + draw.below(std::min(40, machine.network->cores()));
    Case c{algorithm.collective(), ranks, 0, default_element_bytes(algorithm.collective()), 0, false, Operator::sum};
    const auto bytes = static_cast<std::int64_t>(draw.figure(1, 3e6)) - 1;
    c.count = count_for_total_bytes(c.collective, ranks, c.element_bytes, bytes / 4 * 4);
    c.root = is_rooted(c.collective) ? draw.below(ranks) : 0;
    c = among_some_neighbors(c);
    const Choice choice = default_choice(algorithm);
    if (!why_not(choice, c).empty()) continue;
    const char* modes[] = {"isolated", "barrier", "back-to-back:2", "skew:3e-6"};
    const int apart = 1 + draw.below(machine.network->cores() / ranks);
    return {c, choice, spread(ranks, apart), parse_mode(modes[draw.below(4)]), draw.random(), false};
  }
}

std::string experiment_text(const Experiment& e) {
  return e.choice.algorithm->full_name() + ", " + std::to_string(e.c.ranks) + " ranks, " +
         std::to_string(total_bytes(e.c)) + " bytes, " + e.mode.text();
}

Result run(const Machine& machine, const Experiment& one) {
  return make_engine("fast")->run(machine, std::span(&one, 1)).front();
}

int cases() { return std::getenv("TUTTI_ALL_CASES") ? 10'000 : 400; }

/// The longest chain of messages, each at what it costs on an idle machine: the event loop's record says what let each
/// be posted (or, if it waited for its receiver, what let that be).
double longest_chain_seconds(const Machine& machine, Experiment experiment) {
  experiment.record = true;
  const std::vector<TraceEvent> trace = in_order_of_time(machine, experiment).trace;
  const auto core = [&](Rank rank) { return experiment.core_of_rank[static_cast<std::size_t>(rank)]; };
  std::vector<double> ends(trace.size(), 0);
  double longest = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const TraceEvent& event = trace[i];
    const auto cost = [&](const TraceEvent& e) -> const Transport& {
      return machine.transport(machine.network->distance(core(e.rank), core(e.peer)));
    };
    const auto whole = [&](const TraceEvent& e) {
      return e.kind == TraceEvent::Kind::message ? machine.message_seconds(core(e.rank), core(e.peer), e.bytes) : 0;
    };
    const auto is_eager = [&](const TraceEvent& e) { return e.bytes <= cost(e).eager_limit_bytes; };
    double& end = ends[i];
    end = whole(event);
    if (event.after != TraceEvent::kNone) {
      const auto before = static_cast<std::size_t>(event.after);
      const TraceEvent& e = trace[before];
      const auto over_on = [&](Rank rank) {  // when it let that rank go on
        if (e.peer == rank || e.kind != TraceEvent::Kind::message) return ends[before];
        return is_eager(e) ? ends[before] - whole(e) + cost(e).send_seconds(e.bytes, true)
                           : ends[before] - cost(e).receive_seconds(e.bytes, false);
      };
      double from_here = INFINITY;
      if (e.rank == event.rank || e.peer == event.rank) from_here = over_on(event.rank) + whole(event);
      if (event.kind == TraceEvent::Kind::message && (e.rank == event.peer || e.peer == event.peer))
        from_here = std::min(
            from_here, over_on(event.peer) +
                           (is_eager(event) ? cost(event).receive_seconds(event.bytes, true)
                                            : idle_seconds(machine, core(event.rank), core(event.peer), event.bytes) +
                                                  cost(event).receive_seconds(event.bytes, false)));
      end = std::max(end, from_here);
    }
    longest = std::max(longest, end);
  }
  return longest;
}

TEST(Fuzz, NoTimeIsNegativeOrBelowTheLongestChainOnAnIdleMachine) {
  Draw draw(20);
  for (int i = 0; i < cases(); ++i) {
    const Machine machine = drawn_machine(draw);
    Experiment one = drawn_experiment(draw, machine);
    for (const double seconds : run(machine, one).seconds_per_rank)
      ASSERT_TRUE(std::isfinite(seconds) && seconds >= 0) << i << ": " << experiment_text(one);
    one.mode = parse_mode("isolated");
    ASSERT_GE(run(machine, one).makespan_seconds, longest_chain_seconds(machine, one) * (1 - 1e-9) - 1e-11)
        << i << ": " << experiment_text(one);
  }
}

Machine with_less_bandwidth(const Machine& machine, Draw& draw) {
  Machine slower = machine;
  for (auto& transport : slower.transports)
    if (transport && draw.below(2) == 0)
      for (Segment& segment : transport->segments) segment.bandwidth_bytes_per_second /= 1 + draw.figure(0.01, 3);
  return slower;
}

bool is_sooner(double seconds, double before) { return seconds < before * (1 - 1e-9) - 1e-11; }

TEST(Fuzz, LessBandwidthNeverTakesLessTime) {
  Draw draw(21);
  for (int i = 0; i < cases(); ++i) {
    Machine machine = drawn_machine(draw);
    for (auto& transport : machine.transports)
      if (transport) transport->receive_overhead_seconds = 0, transport->receiver_reads = false;
    Experiment one = drawn_experiment(draw, machine);
    one.mode = parse_mode("isolated");
    const Machine slower = with_less_bandwidth(machine, draw);
    EXPECT_FALSE(is_sooner(run(slower, one).makespan_seconds, run(machine, one).makespan_seconds))
        << i << ": " << experiment_text(one);
  }
}

// A processor takes what comes first: a message that comes later may let a send go before it, on which more depends.
// (Graham: "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17(2), 1969.)
// So it is whoever simulates it.
TEST(Fuzz, LessBandwidthSeldomTakesLessTimeWhereReceivesKeepProcessorsBusyAndThenInTheEventLoopToo) {
  Draw draw(24);
  int anomalies = 0;
  for (int i = 0; i < cases(); ++i) {
    const Machine machine = drawn_machine(draw);
    Experiment one = drawn_experiment(draw, machine);
    one.mode = parse_mode("isolated");
    const Machine slower = with_less_bandwidth(machine, draw);
    const double seconds = run(slower, one).makespan_seconds, before = run(machine, one).makespan_seconds;
    if (!is_sooner(seconds, before)) continue;
    ++anomalies;
    EXPECT_NEAR(in_order_of_time(slower, one).makespan_seconds, seconds, 1e-9 * seconds + 1e-11) << i;
    EXPECT_NEAR(in_order_of_time(machine, one).makespan_seconds, before, 1e-9 * before + 1e-11) << i;
  }
  RecordProperty("anomalies", anomalies);
  EXPECT_LE(anomalies, 2 + cases() / 500);
}

TEST(Fuzz, TheSameRunGivesTheSameOnAnyNumberOfThreads) {
  Draw draw(22);
  const Machine machine = drawn_machine(draw);
  std::vector<Experiment> experiments;
  for (int i = 0; i < 60; ++i) experiments.push_back(drawn_experiment(draw, machine));
  const auto engine = make_engine("fast");
  const std::vector<Result> expected = engine->run(machine, experiments);
  std::vector<std::vector<Result>> results(4);
  std::vector<std::thread> threads;
  for (auto& mine : results) threads.emplace_back([&] { mine = engine->run(machine, experiments); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : results)
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(mine[i].seconds_per_rank, expected[i].seconds_per_rank) << experiment_text(experiments[i]);
      EXPECT_EQ(mine[i].bytes_per_level, expected[i].bytes_per_level) << experiment_text(experiments[i]);
    }
}

}  // namespace
}  // namespace tutti::test
