#include "selection/loads.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "selection/merged_times.hpp"
#include "selection/shard.hpp"
#include "selection/sweep_plan.hpp"
#include "tests/refusal.hpp"
#include "tests/selection/folder.hpp"
#include "tests/selection/request.hpp"

namespace tutti {
namespace {

using test::Folder;
using test::NotingEngine;
using test::small_request;

const std::vector<std::string> kThree{"none", "incast:nodes=4,bytes=2097152", "alltoall:nodes=3,bytes=1024"};

TuneRequest loaded_request(const std::vector<std::string>& loads, const char* robust = "worst") {
  TuneRequest request = small_request();
  request.loads = parse_loads(loads, robust);
  return request;
}

/// A folder of its own, removed at the end.
TEST(Loads, AreReadAsTheyAreWritten) {
  const std::vector<std::string> texts{"none", "incast:nodes=4,bytes=1024,burst=0.1,pause=0.01",
                                       "alltoall:nodes=3,bytes=8,gap=1e-05,placement=scattered:7"};
  EXPECT_EQ(parse_loads(texts, "mean").texts(), texts);
  const std::vector<std::string> noisy{"noise:every=0.001,for=1e-05",
                                       "incast:nodes=4,bytes=8 + noise:every=0.001,for=1e-05,seed=7",
                                       "noise:every=0.001,for=1e-05,by=node,seed=2"};
  EXPECT_EQ(parse_loads(noisy, "mean", "p95").texts(), noisy);
  for (const char* seeded :
       {"noise:every=0.001,for=1e-05,seed=2,by=node", "noise:seed=2,every=0.001,for=1e-05,by=node"})
    EXPECT_EQ(parse_loads({seeded}, "mean", "p95").texts(), std::vector<std::string>{noisy[2]});
  EXPECT_EQ(loads_of({"none", "incast:nodes=4,bytes=8"}, {"none", "every=1,for=1"}),
            (std::vector<std::string>{"none", "noise:every=1,for=1", "incast:nodes=4,bytes=8",
                                      "incast:nodes=4,bytes=8 + noise:every=1,for=1"}));
  EXPECT_EQ(parse_loads({"incast:bytes=2M,nodes=4"}, "worst").texts(),
            std::vector<std::string>{"incast:nodes=4,bytes=2097152"});
  EXPECT_TRUE(parse_loads({}, "worst").are_none());
  EXPECT_TRUE(parse_loads({"none"}, "worst").are_none());
  EXPECT_FALSE(parse_loads(kThree, "worst").are_none());
}

TEST(Loads, ThatAreNoneOrThereTwiceAreRefused) {
  EXPECT_NE(refusal([] { parse_loads({"none", "none"}, "worst"); }).find("each load once"), std::string::npos);
  EXPECT_NE(refusal([] { parse_loads(kThree, "best"); }).find("expected worst or mean"), std::string::npos);
  EXPECT_NE(refusal([] { parse_loads({"ring:nodes=4,bytes=8"}, "worst"); }).find("expected incast:"),
            std::string::npos);
}

TEST(Loads, HaveOneSeedWhichIsAWholeNumber) {
  const auto said = [](const std::string& keys) { return refusal([&] { parse_loads({"noise:" + keys}, "worst"); }); };
  EXPECT_NE(said("seed=2,every=1,for=1,seed=3").find("expected seed once"), std::string::npos);
  EXPECT_NE(said("every=1,seed=x,for=1").find("expected a whole number after seed="), std::string::npos);
  EXPECT_NE(said("seed=2").find("expected every=SECONDS"), std::string::npos);
  EXPECT_NE(said("every=1,for=1,,seed=2").find("got ''"), std::string::npos);
}

TEST(Loads, AreRefusedWhereTheMachineHasNoNodesLeftForThem) {
  TuneRequest request = loaded_request({"incast:nodes=16,bytes=8"});  // of the machine's 16
  EXPECT_NE(refusal([&] { tune(request); }).find("expected at most 14 nodes behind"), std::string::npos);
  EXPECT_TRUE(NotingEngine::asked.empty());
}

TEST(Loads, TheTimeOfAChoiceIsTheWorstOrTheMeanOfThoseBesideEach) {
  const Table idle = tune(loaded_request({}));
  std::vector<Table> alone;
  for (const std::string& load : kThree) {
    TuneRequest request = loaded_request({load});
    request.exhaustive = true;
    alone.push_back(tune(request));
  }
  for (const bool worst : {true, false}) {
    const Table table = tune(loaded_request(kThree, worst ? "worst" : "mean"));
    EXPECT_EQ(table.loads, kThree);
    ASSERT_EQ(table.cells.size(), alone[0].cells.size());
    int others = 0;
    for (std::size_t i = 0; i < table.cells.size(); ++i) {
      const Cell& cell = table.cells[i];
      EXPECT_TRUE(cell.inferred.empty());
      EXPECT_EQ(cell.seconds.size(), alone[0].cells[i].seconds.size());
      for (const auto& [name, seconds] : cell.seconds) {
        std::vector<double> each;
        each.reserve(alone.size());
        for (const Table& one : alone) each.push_back(one.cells[i].seconds.at(name));
        EXPECT_EQ(cell.beside_each_seconds.at(name), each);
        const double expected = worst ? std::max({each[0], each[1], each[2]}) : (each[0] + each[1] + each[2]) / 3;
        EXPECT_DOUBLE_EQ(seconds, expected) << name;
      }
    }
    for (const Rule& rule : table.rules)
      others += look_up(idle, rule.place, rule.from_bytes)->algorithm != rule.algorithm;
    EXPECT_GT(others, 10) << "a load changes hardly a choice: the test shows nothing";
  }
}

TEST(Loads, TheStatisticIsOfTheCallsBesideOne) {
  Result result;
  result.makespan_seconds = 3;
  result.seconds_per_call = {1, 5, 3, 9, 2};
  for (const auto& [name, seconds] : {std::pair{"median", 3.0}, {"mean", 4.0}, {"p95", 8.2}})
    EXPECT_DOUBLE_EQ(parse_loads({"noise:every=1,for=1"}, "worst", name).seconds(result), seconds) << name;
  result.seconds_per_call.clear();  // a quiet machine alone: the mode says what counts
  EXPECT_EQ(parse_loads({"none"}, "worst", "p95").seconds(result), 3);
}

TEST(Loads, TheStatisticIsThatOfTheQuietMachineToo) {
  const Machine machine = load_machine("example-cluster");
  const Query query{{Collective::allreduce, 4, 1}, 8192, parse_choice(Collective::allreduce, "recursive_doubling")};
  for (const char* statistic : {"median", "mean", "p95"}) {
    const Loads loads = parse_loads({"none", "noise:every=100,for=1e-9"}, "mean", statistic);  // never while it runs
    Simulations simulations(machine, parse_mode("loop:32"), "block", nullptr, loads);
    const std::vector<double> each = simulations.seconds_beside_each("fast", query);
    EXPECT_NEAR(each[0], each[1], 1e-12) << statistic;
  }
}

TEST(Loads, ATableBesideOneHasItsTimesAlone) {
  const Table table = tune(loaded_request({kThree[1]}));
  EXPECT_EQ(table.loads, std::vector<std::string>{kThree[1]});
  for (const Experiment& one : NotingEngine::asked) {
    ASSERT_TRUE(one.background);
    EXPECT_EQ(one.background->text(), kThree[1]);
    ASSERT_EQ(one.core_of_rank.size(), static_cast<std::size_t>(one.c.ranks + 4));
    const Network& network = *test::example().network;
    std::set<int> of_case, beside;
    for (std::size_t r = 0; r < one.core_of_rank.size(); ++r)
      (r < static_cast<std::size_t>(one.c.ranks) ? of_case : beside).insert(network.node_of(one.core_of_rank[r]));
    EXPECT_EQ(beside.size(), 4u);
    EXPECT_GT(*beside.begin(), *of_case.rbegin());
  }
  for (const Cell& cell : table.cells) EXPECT_TRUE(cell.beside_each_seconds.empty());
}

TEST(Loads, TheTableIsReadAndWrittenAgainByteForByte) {
  for (const char* robust : {"worst", "mean"}) {
    const std::string text = to_json_text(tune(loaded_request(kThree, robust)));
    EXPECT_EQ(to_json_text(parse_table(text, "a table")), text);
    std::string fewer = text;
    const std::string loads = R"("loads": ["none","incast:nodes=4,bytes=2097152",)";
    ASSERT_NE(fewer.find(loads), std::string::npos);
    fewer.replace(fewer.find(loads), loads.size(), R"("loads": [)");
    EXPECT_NE(refusal([&] { parse_table(fewer, "a table"); }).find("a time beside each of the loads"),
              std::string::npos);
  }
}

TEST(Loads, AStateKeepsTheTimesBesideEachApart) {
  const Folder folder;
  TuneRequest request = loaded_request({kThree[1]});
  const std::string beside_one = to_json_text(tune(request));
  request.state_directory = folder.path;
  EXPECT_EQ(to_json_text(tune(request)), beside_one);
  request = loaded_request(kThree);
  const std::string beside_all = to_json_text(tune(request));
  const std::size_t all = NotingEngine::asked.size();
  NotingEngine::asked.clear();
  request.state_directory = folder.path;
  EXPECT_EQ(to_json_text(tune(request)), beside_all);
  EXPECT_EQ(NotingEngine::asked.size(), all / 3 * 2) << "beside one load everything is known";
  NotingEngine::asked.clear();
  EXPECT_EQ(to_json_text(tune(request)), beside_all);
  EXPECT_TRUE(NotingEngine::asked.empty());
}

TEST(Loads, AreThoseOfEveryShardAndTheMergedTableIsThatOfOneProcess) {
  const Folder folder;
  const TuneRequest request = loaded_request(kThree, "mean");
  const std::string whole = to_json_text(tune(request));
  SweepFolder::begin(folder.path, request, "example-cluster");
  const SweepFolder parts(folder.path);
  EXPECT_EQ(parts.sweep().request.loads.texts(), kThree);
  EXPECT_EQ(parts.sweep().request.loads.robust_text(), "mean");
  for (int shard = 1; shard <= 2; ++shard)
    EXPECT_TRUE(
        make_shard(request, parts, {shard, 2}, [](const std::string& what) { ADD_FAILURE() << what; }).failed.empty());
  std::vector<std::string> names;
  std::int64_t left_out = 0;
  for (const Chain& chain : pieces_of(chains_of(request, left_out))) names.push_back(name_of(chain));
  MergedTimes times(parts, names);
  TuneRequest merged = request;
  merged.times = &times;
  NotingEngine::asked.clear();
  EXPECT_EQ(to_json_text(tune(merged)), whole);
  EXPECT_TRUE(NotingEngine::asked.empty());
  TuneRequest other = loaded_request(kThree, "worst");
  EXPECT_THROW(SweepFolder::begin(folder.path, other, "example-cluster"), InputError) << "of another sweep";
}

TEST(Loads, ScatteredNodesAskForEveryTime) {
  TuneRequest request = small_request();
  request.placement = "scattered:1";
  EXPECT_NE(refusal([&] { tune(request); }).find("or --exhaustive, --background"), std::string::npos);
  request.exhaustive = true;
  EXPECT_FALSE(tune(request).rules.empty());
}

}  // namespace
}  // namespace tutti
