#include "selection/gains.hpp"

#include <gtest/gtest.h>

#include "algos/error.hpp"
#include "selection/tune.hpp"

namespace tutti {
namespace {

TuneRequest request(const Machine& machine) {
  TuneRequest asked;
  asked.machine = &machine;
  asked.machine_text = machine_source(machine.name);
  asked.nodes = {3};
  asked.ppn = {1};
  asked.bytes = {64, 200'000};
  asked.collectives = {Collective::bcast};
  asked.algorithms = {"linear", "binomial"};
  asked.engine = "fast";
  asked.exhaustive = true;
  return asked;
}

TEST(Gains, ADefaultHasTheTimeOfItsCandidateOrIsSimulated) {
  const Machine machine = load_machine("example-cluster");
  Table table = tune(request(machine));
  ASSERT_EQ(table.cells.size(), 2u);
  EXPECT_EQ(add_gains(table, {&machine, {"mpich", "open-mpi-4.1"}}), 0);
  const Cell& large = table.cells[1];  // three ranks: MPICH takes binomial, Open MPI a chain, which is no candidate
  EXPECT_EQ(large.default_seconds.at("mpich"), large.seconds.at("binomial"));
  TuneRequest chain = request(machine);
  chain.algorithms = {"chain:fanout=1"};
  EXPECT_EQ(large.default_seconds.at("open-mpi-4.1"), tune(chain).cells[1].seconds.at("chain:fanout=1"));
  for (const Rule& rule : table.rules) {
    EXPECT_EQ(rule.gains.size(), 2u);
    EXPECT_GE(rule.gains.at("mpich"), 1 / (1 + table.bound)) << "a candidate is never better than the choice by more";
  }
}

TEST(Gains, ADefaultThatTheSearchOnlyInferredIsSimulated) {
  const Machine machine = load_machine("example-cluster");
  TuneRequest asked = request(machine);
  asked.nodes = {5, 16};
  asked.ppn = {4};
  asked.bytes = {32, 512, 8'192, 32'768, 131'072, 524'288};
  asked.collectives = {Collective::scan, Collective::reduce};
  asked.algorithms = {};
  Table exact = tune(asked);
  asked.exhaustive = false;
  Table table = tune(asked);
  add_gains(exact, {&machine, {"open-mpi-4.1"}});
  add_gains(table, {&machine, {"open-mpi-4.1"}});
  ASSERT_EQ(table.cells.size(), exact.cells.size());
  for (std::size_t i = 0; i < table.cells.size(); ++i)
    EXPECT_EQ(table.cells[i].default_seconds, exact.cells[i].default_seconds) << i;
}

TEST(Gains, ADefaultOfTooManyMessagesIsLeftOutAndCounted) {
  const Machine machine = load_machine("example-cluster");
  Table table = tune(request(machine));
  GainsRequest gains{&machine, {"open-mpi-4.1"}};
  gains.most_messages = 1;
  EXPECT_GE(add_gains(table, gains), 1);
  EXPECT_FALSE(table.cells[1].default_seconds.contains("open-mpi-4.1"));
  gains.baselines = {"lam"};
  EXPECT_THROW(add_gains(table, gains), InputError);
}

}  // namespace
}  // namespace tutti
