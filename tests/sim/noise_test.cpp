#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "base/error.hpp"
#include "tests/sim/machines.hpp"

// What interrupts processors: what a person computes of it, and that both engines and all runs agree.

namespace tutti::test {
namespace {

constexpr double kMicrosecond = 1e-6;

/// A microsecond in every ten.
Noise a_tenth(bool by_node = false) {
  Noise noise;
  noise.measured = std::make_shared<std::vector<Noise::Detour>>(
      std::vector<Noise::Detour>{{9 * kMicrosecond, kMicrosecond}, {19 * kMicrosecond, kMicrosecond}});
  noise.by_node = by_node;
  return noise;
}

Task noisy_copy(Comm comm, Call call) { co_await comm.wait(comm.copy(call.out, call.in)); }

/// Of ranks on these cores that copy a megabyte, in a millisecond without noise.
Result copying(const std::string& engine, Machine machine, std::vector<int> on_cores, const Noise& noise) {
  machine.compute.copy.seconds_per_byte = machine.compute.copy.seconds_per_byte_out_of_cache = 1e-9;
  const Algorithm algorithm(Collective::allreduce, "copy", noisy_copy, "");
  const Case c{Collective::allreduce, static_cast<int>(on_cores.size()), 1'000'000, 1, 0, false, Operator::sum};
  Experiment one{c, {&algorithm, {}}, std::move(on_cores), {}, 1, false};
  one.noise = noise;
  return run(engine, machine, one);
}

TEST(Noise, WorkIsLongerByAllDetoursThatBeginBeforeItIsOver) {
  const Noise noise = a_tenth();
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Detours detours(noise, seed);
    EXPECT_NEAR(detours.stretched(0, 90 * kMicrosecond), 100 * kMicrosecond, 1e-12) << seed;
    // Where the last one ended, nine microseconds are free.
    EXPECT_NEAR(detours.stretched(200 * kMicrosecond, 0.9 * kMicrosecond), 0.9 * kMicrosecond, 1.0 * kMicrosecond);
  }
}

TEST(Noise, TakesTheShareOfTimeThatItSays) {
  const Noise drawn = parse_noise("every=99e-6,for=1e-6");
  EXPECT_NEAR(drawn.share(), 0.01, 1e-12);
  EXPECT_NEAR(a_tenth().share(), 0.1, 1e-12);
  Detours detours(drawn, 7);
  EXPECT_NEAR(detours.stretched(0, 0.99) / 0.99, 1 / 0.99, 5e-4);
  EXPECT_EQ(drawn.text(), "every=9.9e-05,for=1e-06");
  EXPECT_EQ(parse_noise("by=node,for=1e-6,every=1e-3").text(), "every=0.001,for=1e-06,by=node");
}

TEST(Noise, WhatIsAskedInBetweenChangesNothing) {
  const Noise noise = parse_noise("every=1e-4,for=1e-5");
  Detours seldom(noise, 3), often(noise, 3);
  double now = 0;
  for (int i = 0; i < 1000; ++i) now += often.stretched(now, 1e-6);
  EXPECT_NEAR(seldom.stretched(0, 1e-3), now, 1e-12);
}

TUTTI_ON_EVERY_ENGINE(NoiseOn);

TEST_P(NoiseOn, ACopyTakesAsMuchLongerAsItIsInterrupted) {
  const Result result = copying(GetParam(), crossbar(3), {0, 1, 2}, a_tenth());
  for (const double seconds : result.seconds_per_rank) EXPECT_NEAR(seconds, 1e-3 / 0.9, kMicrosecond * 1.01);
  EXPECT_EQ(result.seconds_per_call.size(), 1u);
}

/// Rank 0 sends to all others, one after the other; or receives from them.
Task many_messages(Comm comm, Call call) {
  if (comm.rank() == 0)
    for (Rank to = 1; to < comm.size(); ++to) co_await comm.wait(comm.send(to, call.in));
  else
    co_await comm.wait(comm.recv(0, call.out));
}
Task from_many(Comm comm, Call call) {
  if (comm.rank() > 0) co_return co_await comm.wait(comm.send(0, call.in));
  for (Rank from = 1; from < comm.size(); ++from) co_await comm.wait(comm.recv(from, call.out));
}

TEST_P(NoiseOn, InterruptsNoProcessorThatWaitsForAGap) {
  constexpr int kRanks = 17;
  const double gap = 1e-3;
  Machine machine = crossbar(kRanks);
  for (auto& transport : machine.transports) {
    transport->send_overhead_seconds = transport->receive_overhead_seconds = kMicrosecond;
    transport->gap_seconds = transport->peer_change_receive_gap_seconds = gap;
  }
  // Of half of the time: what is under way is over a detour later.
  Noise noise;
  noise.measured = std::make_shared<std::vector<Noise::Detour>>(
      std::vector<Noise::Detour>{{50 * kMicrosecond, 50 * kMicrosecond}, {150 * kMicrosecond, 50 * kMicrosecond}});
  for (const AlgorithmFunction function : {many_messages, from_many}) {
    const Algorithm algorithm(Collective::allreduce, "many", function, "");
    const Case c{Collective::allreduce, kRanks, 8, 1, 0, false, Operator::sum};
    Experiment one{c, {&algorithm, {}}, cores(kRanks), {}, 1, false};
    const double quiet = run(GetParam(), machine, one).makespan_seconds;
    EXPECT_GT(quiet, 15 * gap);
    one.noise = noise;
    const double noisy = run(GetParam(), machine, one).makespan_seconds;
    EXPECT_GE(noisy, quiet - kExact);
    EXPECT_LT(noisy, quiet + kRanks * 51 * kMicrosecond);
  }
}

TEST_P(NoiseOn, ProcessorsOfANodeAreInterruptedAtOnceOrEachForItself) {
  NodeShape node = one_core_node();
  node.cores_per_cache = 2;
  const Machine machine = free_machine(node, std::make_unique<FatTree>(FatTreeShape{2, {}, 0}));
  const Noise alone = parse_noise("every=1e-4,for=1e-5"), together = parse_noise("every=1e-4,for=1e-5,by=node");
  const auto each = copying(GetParam(), machine, {0, 1, 2, 3}, alone).seconds_per_rank;
  const auto both = copying(GetParam(), machine, {0, 1, 2, 3}, together).seconds_per_rank;
  EXPECT_NE(each[0], each[1]);
  EXPECT_EQ(both[0], both[1]);
  EXPECT_EQ(both[2], both[3]);
  EXPECT_NE(both[0], both[2]);
}

TEST(NoiseOnBoth, EnginesAgreeAndTheSeedDecides) {
  const Machine machine = load_machine("example-cluster");
  Experiment one = experiment(Collective::allreduce, "recursive_doubling", 13, 5000);
  one.mode = parse_mode("loop:4");
  one.noise = parse_noise("every=2e-5,for=3e-6");
  const std::vector<double> calls = run("fast", machine, one).seconds_per_call;
  ASSERT_EQ(calls.size(), 4u);
  for (const std::string& engine : engine_names()) {
    const std::vector<double> other = run(engine, machine, one).seconds_per_call;
    for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_NEAR(calls[i], other[i], 1e-9) << engine;
  }
  const double quiet = [&] {
    Experiment without = one;
    without.noise.reset();
    return run("fast", machine, without).makespan_seconds;
  }();
  for (const double call : calls) EXPECT_GE(call, quiet - 1e-9);
  one.seed = 2;
  EXPECT_NE(run("fast", machine, one).seconds_per_call, calls);
}

TEST_P(NoiseOn, LateRanksAreTimedFromTheLastArrivalBesideLoadsToo) {
  const Machine machine = load_machine("example-cluster");
  Experiment one = experiment(Collective::bcast, "binomial", 8, 65536);
  one.mode = parse_mode("skew:1e-3");
  const double alone = run(GetParam(), machine, one).makespan_seconds;
  one.each_call = true;
  one.noise = parse_noise("every=100,for=1e-9");
  const Result beside = run(GetParam(), machine, one);
  EXPECT_NEAR(beside.makespan_seconds, alone, 2e-9) << "the first to come wait a millisecond for the last";
  EXPECT_EQ(beside.seconds_per_call, std::vector<double>{beside.makespan_seconds});
}

TEST(Noise, WhatCannotBeMeantIsRefused) {
  const auto fault = [](const std::string& text) {
    try {
      parse_noise(text);
      return std::string();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  for (const char* text : {"", "every=1e-3", "for=1", "every=0,for=1", "every=1e-3,for=1e-3x", "every=1e-3,for=nan",
                           "every=1e-3,for=1e-6,by=rack", "every=1e-3,for=1e-6,file=x", "file="})
    EXPECT_NE(fault(text), "") << text;
  const std::string path = testing::TempDir() + "tutti-detours-" + std::to_string(getpid()) + ".csv";
  for (const auto& [text, expected] : {std::pair<const char*, const char*>{"begin_us,duration_us\n1,2\n5,1\n", ""},
                                       {"", ":1: expected 2 lines or more"},
                                       {"begin,duration\n", ":1: expected the head begin_us,duration_us"},
                                       {"begin_us,duration_us\n1,2\n5,1", ":3: expected a line end"},
                                       {"begin_us,duration_us\n1,2\n2,1\n", ":3: expected a detour that begins after"},
                                       {"begin_us,duration_us\n1,0\n", ":2: expected begin_us,duration_us"},
                                       {"begin_us,duration_us\n1\n", ":2: expected begin_us,duration_us"},
                                       {"begin_us,duration_us\n1,2\n", ":2: expected 2 lines or more"}}) {
    std::ofstream(path, std::ios::binary) << text;
    const std::string found = fault("file=" + path);
    EXPECT_EQ(found.empty(), *expected == 0) << found;
    EXPECT_NE(found.find(expected), std::string::npos) << found;
  }
}

}  // namespace
}  // namespace tutti::test
