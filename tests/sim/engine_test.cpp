#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "models/layout.hpp"
#include "models/placement.hpp"
#include "tests/neighbors.hpp"
#include "tests/sim/machines.hpp"

namespace tutti::test {
namespace {

TUTTI_ON_EVERY_ENGINE(EveryEngine);

TEST_P(EveryEngine, GivesTheSameResultOnEveryRunAndInAnyCompany) {
  const Machine machine = load_machine("example-cluster");
  std::vector<Experiment> many;
  for (const char* name : {"ring", "recursive_doubling", "rabenseifner"})
    many.push_back(experiment(Collective::allreduce, name, 13, 4096));
  const auto engine = make_engine(GetParam());
  const auto together = engine->run(machine, many);
  for (std::size_t i = 0; i < many.size(); ++i) {
    const Result alone = run(GetParam(), machine, many[i]);
    EXPECT_NEAR(alone.makespan_seconds, together[i].makespan_seconds, 1e-12);
    EXPECT_EQ(alone.messages, together[i].messages);
    EXPECT_EQ(run(GetParam(), machine, many[i]).seconds_per_rank, alone.seconds_per_rank);
  }
}

TEST_P(EveryEngine, EveryAlgorithmRunsToItsEndAndSendsWhatItsMetadataSays) {
  const Machine machine = load_machine("example-cluster");
  for (const Algorithm& algorithm : registry())
    for (const int ranks : {1, 2, 5, 8, 13}) {
      const Case c = among_some_neighbors({algorithm.collective(), ranks, 3 * ranks + 1,
                                           default_element_bytes(algorithm.collective()), 0, false, Operator::sum});
      const Choice choice = default_choice(algorithm), real = resolve(choice, c);
      if (!why_not(choice, c).empty()) continue;
      const Experiment one{c, choice, cores(ranks), {}, 1, false};
      NodeOfRank nodes;
      for (const int core : one.core_of_rank) nodes.push_back(machine.network->node_of(core));
      const Result result = run(GetParam(), machine, one);
      EXPECT_EQ(static_cast<double>(result.messages), real.algorithm->messages()(Facts(c, real.parameters, nodes)))
          << algorithm.full_name() << " at " << ranks;
      EXPECT_GE(result.makespan_seconds, 0);
    }
}

TEST_P(EveryEngine, LeavesOffOnlyWhatTakesMoreThanIsWanted) {
  const Machine machine = load_machine("example-cluster");
  std::vector<Experiment> both;
  for (const char* mode : {"isolated", "back-to-back:3", "barrier", "skew:1e-6"})
    for (const auto& [collective, name] :
         {std::pair(Collective::allreduce, "ring"), {Collective::alltoall, "linear"}}) {
      Experiment one = experiment(collective, name, 13, 100'000);
      one.mode = parse_mode(mode);
      const Result whole = run(GetParam(), machine, one);
      EXPECT_FALSE(whole.exceeded);
      one.most_seconds = whole.makespan_seconds;
      const Result just = run(GetParam(), machine, one);
      EXPECT_FALSE(just.exceeded) << mode;
      EXPECT_EQ(just.seconds_per_rank, whole.seconds_per_rank) << mode;
      for (const double share : {0.0, 0.1, 0.5, 0.99}) {
        one.most_seconds = share * whole.makespan_seconds;
        const Result part = run(GetParam(), machine, one);
        if (one.mode.kind == Mode::Kind::isolated || one.mode.kind == Mode::Kind::back_to_back) {
          EXPECT_TRUE(part.exceeded) << mode << " " << share;
        }
        if (!part.exceeded) {
          EXPECT_EQ(part.seconds_per_rank, whole.seconds_per_rank) << mode;
        }
      }
      both = {one, experiment(collective, name, 13, 100'000)};
      EXPECT_NEAR(make_engine(GetParam())->run(machine, both)[1].makespan_seconds,
                  run(GetParam(), machine, both[1]).makespan_seconds, 1e-12)
          << "what was left off disturbs the next";
    }
}

TEST_P(EveryEngine, BackToBackCallsTakeLessThanAsManyIsolatedOnes) {
  const Machine machine = load_machine("example-cluster");
  Experiment one = experiment(Collective::bcast, "binomial", 16, 1000);
  const double isolated = run(GetParam(), machine, one).makespan_seconds;
  one.mode = parse_mode("back-to-back:20");
  const Result chained = run(GetParam(), machine, one);
  EXPECT_LT(chained.makespan_seconds, isolated);
  EXPECT_EQ(chained.messages, 15);
}

TEST_P(EveryEngine, ABarrierBeforeTheCallIsNotCounted) {
  Experiment one = experiment(Collective::allgather, "ring", 12, 1000);
  const Machine machine = load_machine("example-cluster");
  const Result plain = run(GetParam(), machine, one);
  one.mode = parse_mode("barrier");
  const Result after_barrier = run(GetParam(), machine, one);
  EXPECT_EQ(after_barrier.messages, plain.messages);
  EXPECT_NEAR(after_barrier.makespan_seconds, plain.makespan_seconds, 0.5 * plain.makespan_seconds);
}

TEST_P(EveryEngine, ABarrierByNodeBeforeTheCallIsNotCountedEither) {
  Experiment one = experiment(Collective::allgather, "ring", 12, 1200);
  const Machine machine = load_machine("example-cluster");
  one.core_of_rank = place_block(*machine.network, 12, 4);
  for (const char* mode : {"barrier:smp", "barrier:hier", "barrier:han", "loop:3:smp", "loop:3:han"}) {
    one.mode = parse_mode(mode);
    EXPECT_EQ(run(GetParam(), machine, one).messages, 12 * 11) << mode;
  }
}

TEST_P(EveryEngine, ABarrierThatCannotRunOnSoManyRanksIsRefused) {
  const Machine machine = load_machine("example-cluster");
  for (const char* mode : {"barrier:two_proc", "loop:3:two_proc"}) {
    Experiment one = experiment(Collective::allgather, "ring", 8, 1000);
    one.mode = parse_mode(mode);
    try {
      run(GetParam(), machine, one);
      FAIL() << mode;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(),
                "mode '" + std::string(mode) + "': barrier/two_proc cannot run: it needs at most two ranks");
    }
    one.c.ranks = 2;
    one.core_of_rank = cores(2);
    EXPECT_EQ(run(GetParam(), machine, one).messages, 2) << mode;
  }
}

TEST_P(EveryEngine, JobsOfManyRanksRunOnTheTransportsThatAreTheirs) {
  Machine machine = crossbar(8);
  auto larger = std::make_shared<Machine>(machine);
  for (auto& transport : larger->transports) transport->segments.back().latency_seconds = 5e-6;
  machine.larger_jobs = std::move(larger);
  machine.larger_job_ranks = 4;
  const auto seconds = [&](int ranks) {
    return run(GetParam(), machine, experiment(Collective::bcast, "pipeline", ranks, 0)).makespan_seconds;
  };
  EXPECT_NEAR(seconds(4), 3 * kLatency, 1e-12);
  EXPECT_NEAR(seconds(5), 4 * (kLatency + 5e-6), 1e-12);
}

TEST_P(EveryEngine, RanksLeaveATreeOfABarrierOneAfterTheOther) {
  Experiment after = experiment(Collective::reduce, "linear", 8, 1);
  after.mode = parse_mode("barrier:tree");
  const double late = run(GetParam(), crossbar(8), after).makespan_seconds;
  after.mode = parse_mode("barrier");
  EXPECT_NEAR(late - run(GetParam(), crossbar(8), after).makespan_seconds, 3 * kLatency, 0.1e-6)
      << "the root left it before all others, and waits for them";
}

/// Barriers by recursive doubling let the rank that comes last leave first. In turn with linear gathers, whose root
/// comes last, they end in a state in which the root waits for a rank that leaves a latency later.
TEST_P(EveryEngine, LoopsOfCallsAndBarriersSettle) {
  Experiment gather = experiment(Collective::gather, "linear", 8, 1);
  const auto seconds = [&](const char* mode) {
    gather.mode = parse_mode(mode);
    return run(GetParam(), crossbar(8), gather).makespan_seconds;
  };
  const double settled = seconds("loop:4:recursive_doubling");
  EXPECT_NEAR(settled, 2 * kLatency, 0.1e-6);
  EXPECT_NEAR(seconds("loop:7:recursive_doubling"), settled, 0.1e-6);
  EXPECT_NEAR(seconds("barrier:recursive_doubling"), kLatency, 0.1e-6) << "where all arrive at once";
}

TEST_P(EveryEngine, SkewDependsOnTheSeedAlone) {
  Experiment one = experiment(Collective::allreduce, "recursive_doubling", 8, 1024);
  one.mode = parse_mode("skew:1e-3");
  const Machine machine = load_machine("example-cluster");
  EXPECT_EQ(run(GetParam(), machine, one).seconds_per_rank, run(GetParam(), machine, one).seconds_per_rank);
  const auto first = run(GetParam(), machine, one).seconds_per_rank;
  one.seed = 2;
  EXPECT_NE(run(GetParam(), machine, one).seconds_per_rank, first);
}

/// A file of one's own in which lateness was measured.
std::string lateness_file(const std::string& text) {
  std::string path = testing::TempDir() + "tutti-lateness-" + std::to_string(getpid()) + ".csv";
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

TEST_P(EveryEngine, SkewOfAFileIsOfWhatStandsThere) {
  const Machine machine = load_machine("example-cluster");
  Experiment one = experiment(Collective::allreduce, "recursive_doubling", 8, 1024);
  const double together = run(GetParam(), machine, one).makespan_seconds;
  one.mode = parse_mode("skew:file=" + lateness_file("late_us\n70\n"));
  EXPECT_NEAR(run(GetParam(), machine, one).makespan_seconds, together, 1e-10) << "all as late";

  one.mode = parse_mode("skew:file=" + lateness_file("late_us\n0\n1000\n"));
  std::set<double> seconds;
  for (one.seed = 1; one.seed <= 8; ++one.seed) seconds.insert(run(GetParam(), machine, one).makespan_seconds);
  EXPECT_GT(seconds.size(), 1U) << "others are late by other seeds";
  EXPECT_LT(*seconds.rbegin(), 2 * together) << "the last to come are waited for no longer";
}

TEST_P(EveryEngine, SkewOfSeveralCallsIsTheMedianOfCallsWithArrivalsOfTheirOwn) {
  const Machine machine = load_machine("example-cluster");
  Experiment one = experiment(Collective::bcast, "binomial", 8, 65536);
  one.mode = parse_mode("skew:1e-4");
  const double first = run(GetParam(), machine, one).makespan_seconds;
  one.mode = parse_mode("skew:1e-4:5");
  const Result five = run(GetParam(), machine, one);
  ASSERT_EQ(five.seconds_per_call.size(), 5U);
  EXPECT_NEAR(five.seconds_per_call.front(), first, 1e-12) << "the seed's own";
  EXPECT_GT(std::set(five.seconds_per_call.begin(), five.seconds_per_call.end()).size(), 1U);
  std::vector<double> sorted = five.seconds_per_call;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(five.makespan_seconds, sorted[2]);
  EXPECT_EQ(five.messages, 7) << "of one call";
  one.seed = 2;
  const std::vector<double> others = run(GetParam(), machine, one).seconds_per_call;
  EXPECT_NE(others[0], five.seconds_per_call[1]) << "no call of the next seed is one of this one's";

  one.record = true;
  EXPECT_EQ(run(GetParam(), machine, one).seconds_per_call, others);
  EXPECT_EQ(run(GetParam(), machine, one).trace.size(), 7U) << "of the last one";
  one.background = Background{Background::Kind::incast, 2, 8};
  one.core_of_rank.insert(one.core_of_rank.end(), {64, 72});
  EXPECT_THROW(run(GetParam(), machine, one), InputError);
}

TEST_P(EveryEngine, TheTraceHoldsEveryMessageAndTheCriticalPathEndsWithTheRun) {
  Experiment one = experiment(Collective::bcast, "chain", 6, 100'000);
  one.record = true;
  const Result result = run(GetParam(), load_machine("example-cluster"), one);
  std::int64_t messages = 0;
  for (const TraceEvent& event : result.trace) messages += event.kind == TraceEvent::Kind::message;
  EXPECT_EQ(messages, result.messages);
  ASSERT_FALSE(result.critical_path.empty());
  EXPECT_NEAR(result.trace[result.critical_path.back()].ended_seconds, result.makespan_seconds, 1e-12);
  for (std::size_t i = 1; i < result.critical_path.size(); ++i)
    EXPECT_EQ(result.trace[result.critical_path[i]].after, static_cast<std::int64_t>(result.critical_path[i - 1]));
  for (const TraceEvent& event : result.trace) EXPECT_GE(event.ended_seconds, event.started_seconds);
  const std::vector<int> nodes = nodes_of(*load_machine("example-cluster").network, one.core_of_rank);
  const auto json = nlohmann::json::parse(chrome_trace(result, nodes));
  EXPECT_GE(json.at("traceEvents").size(), 4 * static_cast<std::size_t>(messages));
}

TEST_P(EveryEngine, NothingEndsBeforeItStartsWhereBlocksAreEmpty) {
  Experiment one = experiment(Collective::allreduce, "rabenseifner", 5, 4);
  one.record = true;
  for (const TraceEvent& event : run(GetParam(), load_machine("example-cluster"), one).trace)
    EXPECT_GE(event.ended_seconds, event.started_seconds);
}

TEST_P(EveryEngine, BytesPerLinkLevelAreThoseOfTheMessages) {
  const Result result = run(GetParam(), crossbar(4), experiment(Collective::bcast, "linear", 4, 1000));
  EXPECT_EQ(result.bytes_per_level.at("nic-out"), 3000);
  EXPECT_EQ(result.bytes_per_level.at("nic-in"), 3000);
}

Task lonely_receive(Comm comm, Call call) { co_await comm.wait(comm.recv((comm.rank() + 1) % comm.size(), call.out)); }

TEST_P(EveryEngine, AnAlgorithmThatGetsStuckIsReportedWithWhatIsPending) {
  const Algorithm algorithm(Collective::bcast, "lonely", lonely_receive, "");
  const Case c{Collective::bcast, 3, 10, 1, 0, false, Operator::sum};
  const Experiment one{c, {&algorithm, {}}, cores(3), {}, 1, false};
  try {
    run(GetParam(), crossbar(3), one);
    FAIL() << "no error";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("got stuck"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("from rank"), std::string::npos) << error.what();
  }
}

TEST(Modes, AreReadAsTheyAreWrittenAndNothingElseIs) {
  for (const char* text :
       {"isolated", "barrier", "barrier:tree", "loop:3", "loop:4:tree", "back-to-back:7", "skew:2e-06", "skew:2e-06:9"})
    EXPECT_EQ(parse_mode(text).text(), text);
  for (const char* text :
       {"", "back-to-back", "back-to-back:0", "skew:-1", "skew:nan", "skew:1s", "skew:1e9", "barrier:2", "loop",
        "loop:0", "loop:2:ring", "often", "skew:1:0", "skew:1:1001", "skew:1:", "skew:1:2:3"})
    EXPECT_THROW(parse_mode(text), InputError) << text;
}

TEST(Modes, ReadMeasuredLatenessOrSayWhatIsWrongWithItsLine) {
  const std::string text = "skew:file=" + lateness_file("late_us\n0\n2.5\n");
  const Mode mode = parse_mode(text);
  EXPECT_EQ(mode.text(), text);
  ASSERT_EQ(mode.measured_seconds->size(), 2U);
  EXPECT_DOUBLE_EQ(mode.measured_seconds->at(1), 2.5e-6);
  EXPECT_EQ(parse_mode(text + ":32").text(), text + ":32");
  EXPECT_EQ(parse_mode(text + ":32").calls, 32);
  EXPECT_EQ(parse_mode("skew:file=" + lateness_file("\xEF\xBB\xBFlate_us\r\n3\r\n")).measured_seconds->size(), 1U)
      << "as Windows' programs write a CSV";
  for (const auto& [lines, expected] :
       {std::pair{"late_us\n", ":1: expected a line or more"}, std::pair{"late\n1\n", ":1: expected the head late_us"},
        std::pair{"late_us\n1,2\n", ":2: expected late_us"},
        std::pair{"late_us\n1\n-1\n", ":3: expected late_us: 0 to 100 s"},
        std::pair{"late_us\n1\n2", ":3: expected a line end"}}) {
    try {
      static_cast<void>(parse_mode("skew:file=" + lateness_file(lines)));
      ADD_FAILURE() << lines;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(parse_mode("skew:file=/nowhere/late.csv"), InputError);
}

}  // namespace
}  // namespace tutti::test
