#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "models/machine.hpp"
#include "models/placement.hpp"
#include "sim/engine.hpp"
#include "sim/rank_groups.hpp"

// Algorithms by the levels of real machines: caches, domains and sockets of a node, switches and groups of them.

namespace tutti::test {
namespace {

int parts(const Places& places, Level level, int ranks) {
  std::set<int> seen;
  for (Rank r = 0; r < ranks; ++r) seen.insert(places.of(r, level));
  return static_cast<int>(seen.size());
}

Result run_on(const Machine& machine, const Choice& choice, int ranks, int ppn, Count count) {
  Experiment experiment;
  const Collective collective = choice.algorithm->collective();
  experiment.c = {.collective = collective, .ranks = ranks, .count = count, .element_bytes = 4};
  experiment.choice = choice;
  experiment.core_of_rank = place_block(*machine.network, ranks, ppn);
  return make_engine("fast")->run(machine, {&experiment, 1}).front();
}

TEST(Levels, AreThoseOfTheMachine) {
  const Machine epyc = load_machine("orfeo-epyc");
  const std::vector<int> all = place_block(*epyc.network, 256, 128);
  const Places inside = places_of(*epyc.network, all);
  for (const auto& [level, expected] :
       {std::pair(Level::cache, 64), {Level::numa, 16}, {Level::socket, 4}, {Level::node, 2}})
    EXPECT_EQ(parts(inside, level, 256), expected) << name_of(level);
  for (Rank r = 0; r < 255; ++r)
    EXPECT_EQ(inside.of(r, Level::cache) == inside.of(r + 1, Level::cache),
              epyc.network->distance(r, r + 1) <= Distance::cache);
  const Machine leonardo = load_machine("leonardo-booster");
  const Places outside = places_of(*leonardo.network, place_block(*leonardo.network, 400, 1));
  EXPECT_EQ(parts(outside, Level::leaf, 400), 40) << "ten nodes on each";
  EXPECT_EQ(parts(outside, Level::group, 400), 3) << "180 nodes in each";
  EXPECT_FALSE(outside.has(Level::socket));
}

TEST(Levels, AllSendWhatTheMetadataSaysOnMachinesThatHaveThem) {
  struct {
    const char* machine;
    int ranks, ppn;
    const char* levels;
  } const runs[] = {{"orfeo-epyc", 256, 128, "cache=linear,numa=binomial,socket=binomial"},
                    {"orfeo-epyc", 200, 128, "numa=linear"},
                    {"leonardo-booster", 400, 1, "leaf=binomial,group=binomial"},
                    {"leonardo-booster", 96, 4, "leaf=linear"}};
  for (const auto& run : runs)
    for (const Collective collective :
         {Collective::bcast, Collective::reduce, Collective::allreduce, Collective::allgather}) {
      const Machine machine = load_machine(run.machine);
      const Choice choice = parse_choice(collective, "hier(" + std::string(run.levels) + ")");
      const Result result = run_on(machine, choice, run.ranks, run.ppn, 1000);
      EXPECT_EQ(result.refused, "");
      const Case c{.collective = collective, .ranks = run.ranks, .count = 1000, .element_bytes = 4};
      const Facts facts(c, choice.parameters,
                        places_of(*machine.network, place_block(*machine.network, run.ranks, run.ppn)));
      EXPECT_EQ(static_cast<double>(result.messages), choice.algorithm->messages()(facts)) << choice.text();
    }
}

/// A message passes between two groups once for each group but the root's; ranks in turn would send it at each step.
TEST(Levels, OneCopyOfABroadcastComesIntoEachGroup) {
  const Machine leonardo = load_machine("leonardo-booster");
  const auto copies = [&](const char* text) {
    Experiment experiment;
    experiment.c = {.collective = Collective::bcast, .ranks = 540, .count = 1'000'000, .element_bytes = 1};
    experiment.choice = parse_choice(Collective::bcast, text);
    for (int node = 0; node < 540; ++node)  // over three groups in turn
      experiment.core_of_rank.push_back((node % 3 * 180 + node / 3) * leonardo.network->cores_per_node());
    return make_engine("fast")->run(leonardo, {&experiment, 1}).front().bytes_per_level.at("global") / 1e6;
  };
  EXPECT_EQ(copies("hier(group=binomial)"), 2);
  EXPECT_GT(copies("binomial"), 100);
}

TEST(Levels, ThatTheMachineDoesNotHaveAreRefusedWithThoseThatItHas) {
  const Machine machine = load_machine("example-cluster");
  try {
    static_cast<void>(run_on(machine, parse_choice(Collective::bcast, "hier(numa=linear)"), 16, 8, 10));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no level 'numa' here: expected socket, node"), std::string::npos)
        << error.what();
  }
}

/// Ranks placed in turn make a ring leave its node at every step; node by node it does once a node.
TEST(Permutations, MakeARingAsNearAsIfRanksWerePlacedNodeByNode) {
  const Machine machine = load_machine("example-cluster");
  const auto bytes_between_nodes = [&](const char* text, std::vector<int> cores) {
    Experiment experiment;
    experiment.c = {.collective = Collective::allgather, .ranks = 32, .count = 4096, .element_bytes = 1};
    experiment.choice = parse_choice(Collective::allgather, text);
    experiment.core_of_rank = std::move(cores);
    return make_engine("fast")->run(machine, {&experiment, 1}).front().bytes_per_level.at("nic-out");
  };
  const auto cyclic = place_cyclic(*machine.network, 32, 8), block = place_block(*machine.network, 32, 8);
  EXPECT_EQ(bytes_between_nodes("permuted(order=block,of=ring)", cyclic), bytes_between_nodes("ring", block));
  EXPECT_EQ(bytes_between_nodes("permuted(order=cyclic,of=ring)", block), bytes_between_nodes("ring", cyclic));
  EXPECT_EQ(bytes_between_nodes("ring", cyclic), 8 * bytes_between_nodes("ring", block));
  std::string list;  // four nodes: 0, 4, 8, …, then 1, 5, …
  for (Rank r = 0; r < 32; ++r) list += (r > 0 ? "-" : "") + std::to_string(r % 8 * 4 + r / 8);
  EXPECT_EQ(bytes_between_nodes(("permuted(order=" + list + ",of=ring)").c_str(), cyclic),
            bytes_between_nodes("ring", block));
}

}  // namespace
}  // namespace tutti::test
