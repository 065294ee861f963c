#include "selection/shard.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "selection/merged_times.hpp"
#include "selection/sweep_overview.hpp"
#include "selection/sweep_plan.hpp"
#include "selection/whole_file.hpp"
#include "tests/selection/folder.hpp"
#include "tests/selection/request.hpp"

namespace tutti {
namespace {

using test::Folder;
using test::NotingEngine;
using test::small_request;

/// A folder of its own, removed at the end.
TuneRequest wide_request() {
  TuneRequest request = small_request();
  request.nodes.clear();
  for (int nodes = 2; nodes <= 16; ++nodes) request.nodes.push_back(nodes);
  request.ppn = {1, 2};
  request.bytes = {0, 72, 65536};
  request.collectives = {Collective::allreduce, Collective::barrier};
  return request;
}

void expect_undamaged(const std::string& what) { ADD_FAILURE() << what; }

PartFile some_part() {
  const Place place{Collective::allreduce, 17, 4};
  return {"0123456789abcdef",
          "allreduce-ppn4-nodes17-24",
          "node 7, process 42",
          {{17, 1.0 / 3}, {18, 0}},
          {{"fast", place, 1 << 20, "ring", 1e-3 / 3, false},
           {"simgrid", place, 0, "knomial:radix=8", std::numeric_limits<double>::infinity(), false},
           {"fast", place, std::int64_t{1} << 40, "segmented_ring:segment=64K", 5e-324, true},
           {"fast", place, 8, "ring", 1, false, "incast:nodes=2,bytes=8 + noise:every=1e-04,for=1e-05"}},
          true};
}

TEST(WholeFiles, AreWrittenBesideWhatAKilledProcessOfTheSameNumberHasLeft) {
  Folder folder;  // as in containers, whose processes have numbers of their own
  std::filesystem::create_directory(folder.path);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  for (int i = 0; i < 3000; ++i) {
    const std::string name = fmt::format(".a.part.{}.{}.{}", host, getpid(), i);
    std::ofstream(std::filesystem::path(folder.path) / name) << "half";
  }
  const std::string path = folder.path + "/a.part";
  write_whole(path, "whole");
  std::ifstream file(path);
  std::string text;
  std::getline(file, text);
  EXPECT_EQ(text, "whole");
}

TEST(PartFiles, AreReadAsTheyWereWrittenToTheLastBit) {
  PartFile part = some_part();
  for (const bool done : {true, false}) {
    part.done = done;
    const std::string text = to_text(part);
    const PartFile read = parse_part(text, "a.part");
    EXPECT_EQ(to_text(read), text);
    ASSERT_EQ(read.times.size(), part.times.size());
    for (std::size_t i = 0; i < read.times.size(); ++i) {
      EXPECT_EQ(read.times[i].seconds, part.times[i].seconds);
      EXPECT_EQ(read.times[i].choice, part.times[i].choice);
      EXPECT_EQ(read.times[i].load, part.times[i].load);
    }
    EXPECT_EQ(read.done, done);
  }
}

TEST(PartFiles, OfWhichAnyByteIsAnotherOrMissingAreRefusedWithTheirLine) {
  const std::string text = to_text(some_part());
  const auto is_refused = [](const std::string& damaged) {
    try {
      parse_part(damaged, "a.part");
    } catch (const InputError& error) {
      const std::string what = error.what();
      return what.starts_with("a.part:") && what.find("expected") != std::string::npos;
    }
    return false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_TRUE(is_refused(changed)) << i;
    EXPECT_TRUE(is_refused(text.substr(0, i))) << i;
  }
  EXPECT_TRUE(is_refused(text + "x"));
}

TEST(Shards, LongChainsAreCutIntoPiecesThatTogetherAreTheSweep) {
  const TuneRequest request = wide_request();
  std::int64_t left_out = 0;
  std::vector<std::string> names;
  std::size_t places = 0;
  for (const Chain& chain : pieces_of(chains_of(request, left_out))) {
    ASSERT_FALSE(chain.empty());
    EXPECT_LE(chain.size(), kLongestPiece);
    EXPECT_EQ(pieces_of({chain}).size(), 1) << "a piece is cut again";
    places += chain.size();
    names.push_back(name_of(chain));
    for (std::size_t i = 1; i < chain.size(); ++i) EXPECT_EQ(chain[i].place.nodes, chain[i - 1].place.nodes + 1);
  }
  EXPECT_EQ(places, request.nodes.size() * request.ppn.size() * request.collectives.size());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << "two parts of one name";
}

/// So that what is between is known from either side; a power of two tells of no others.
TEST(Shards, TheEndsOfAPieceAreSearchedFirstWhereItsNodesAreClose) {
  const auto order = [](std::initializer_list<int> nodes) {
    Chain chain;
    for (const int n : nodes) chain.push_back({{Collective::bcast, n, 4}, {8}, {}});
    return search_order(chain);
  };
  EXPECT_EQ(order({41, 42, 43, 44, 45}), (std::vector<std::size_t>{0, 4, 2, 1, 3}));
  EXPECT_EQ(order({57, 58, 59, 60, 61, 62, 63, 64}), (std::vector<std::size_t>{0, 6, 3, 1, 2, 4, 5, 7}));
  EXPECT_EQ(order({2, 3, 4, 5, 6}), (std::vector<std::size_t>{0, 1, 2, 3, 4})) << "far apart";
  EXPECT_EQ(order({64}), (std::vector<std::size_t>{0}));
}

TEST(Shards, APlaceBetweenOthersThatAreCloseToItIsKnownFromBothSides) {
  const auto between = [](std::initializer_list<int> nodes) {
    Chain chain;
    for (const int n : nodes) chain.push_back({{Collective::bcast, n, 1}, {8}, {}});
    std::string text;
    for (std::size_t i = 0; i < chain.size(); ++i) text += is_known_from_both_sides(chain, i) ? 'y' : 'n';
    return text;
  };
  EXPECT_EQ(between({41, 42, 43, 44, 45}), "nyyyn") << "41 and 45 come first";
  EXPECT_EQ(between({33, 34, 35, 36, 37, 38, 39, 40}), "nyynyyyn") << "by the turn of 36 only 33 and 40 are known";
  EXPECT_EQ(between({2, 3, 4, 5, 6}), "nnnnn") << "in order";
}

TEST(Shards, ChainsOfPlacesThatAreFarApartAreWhole) {
  TuneRequest request = wide_request();
  request.nodes = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16};
  std::int64_t left_out = 0;
  for (const Chain& chain : chains_of(request, left_out))
    EXPECT_EQ(pieces_of({chain}).size(), 1) << "2.5 to a doubling";
}

TEST(Shards, EveryPartBelongsToOneAndNoneHasMuchMoreToDo) {
  const TuneRequest request = wide_request();
  std::int64_t left_out = 0;
  const std::vector<Chain> chains = pieces_of(chains_of(request, left_out));
  const SweepCandidates candidates = candidates_of(request);
  std::vector<double> work;
  work.reserve(chains.size());
  for (const Chain& chain : chains) work.push_back(expected_work(request, candidates, chain));
  const double longest = *std::max_element(work.begin(), work.end());
  const double all = std::accumulate(work.begin(), work.end(), 0.0);
  for (const int shards : {1, 2, 3, 7, 1000}) {
    std::vector<double> load(static_cast<std::size_t>(shards), 0);
    const std::vector<int> of_each = shard_of_each(work, shards);
    ASSERT_EQ(of_each.size(), chains.size());
    for (std::size_t c = 0; c < chains.size(); ++c) {
      ASSERT_TRUE(of_each[c] >= 1 && of_each[c] <= shards);
      load[static_cast<std::size_t>(of_each[c] - 1)] += work[c];
    }
    EXPECT_LE(*std::max_element(load.begin(), load.end()), all / shards + longest);
  }
}

TEST(Shards, ComeToTheSameTableWithoutAnythingSimulatedButForWhatSeveralPartsDecide) {
  const TuneRequest request = wide_request();
  const std::string one = to_json_text(tune(request));
  const Folder there;
  SweepFolder::begin(there.path, request, "example-cluster");
  const SweepFolder folder(there.path);
  for (const int shard : {3, 1, 2}) make_shard(request, folder, {shard, 3}, expect_undamaged);
  const std::vector<std::string> done = overview_of(request, folder).names_done();
  MergedTimes times(folder, done);
  TuneRequest merged = request;
  merged.times = &times;
  EXPECT_EQ(to_json_text(tune(merged)), one);
  times.keep();
  NotingEngine::asked.clear();
  MergedTimes again(folder, done);
  merged.times = &again;
  EXPECT_EQ(to_json_text(tune(merged)), one);
  EXPECT_TRUE(NotingEngine::asked.empty()) << "what was simulated for a merge is kept";
  EXPECT_EQ(again.simulated(), 0u);
}

TEST(Shards, OneLayoutOfEveryNumberOfRanksLeavesNothingToTheMerge) {
  TuneRequest request = wide_request();
  request.ppn = {2};
  const std::string one = to_json_text(tune(request));
  const Folder there;
  SweepFolder::begin(there.path, request, "example-cluster");
  const SweepFolder folder(there.path);
  for (const int shard : {2, 1}) make_shard(request, folder, {shard, 2}, expect_undamaged);
  NotingEngine::asked.clear();
  MergedTimes times(folder, overview_of(request, folder).names_done());
  request.times = &times;
  EXPECT_EQ(to_json_text(tune(request)), one);
  EXPECT_TRUE(NotingEngine::asked.empty());
}

TEST(Shards, APartThatFailsIsSaidLeavesTheOthersAndIsMadeLater) {
  TuneRequest request = wide_request();
  const std::string one = to_json_text(tune(request));
  const Folder there;
  SweepFolder::begin(there.path, request, "example-cluster");
  const SweepFolder folder(there.path);
  NotingEngine::asked.clear();
  NotingEngine::fail_at = 300;
  const ShardResult first = make_shard(request, folder, {1, 1}, expect_undamaged);
  NotingEngine::fail_at = 0;
  ASSERT_EQ(first.failed.size(), 1u);
  EXPECT_EQ(first.were_done, 0u);
  const SweepOverview overview = overview_of(request, folder);
  EXPECT_EQ(overview.names_done().size() + 1, overview.parts.size());
  EXPECT_LT(overview.part_done, 1);
  for (const PartProgress& part : overview.parts)
    EXPECT_EQ(part.failure.find("the engine died") != std::string::npos, part.name == first.failed[0].first);
  const ShardResult second = make_shard(request, folder, {1, 1}, expect_undamaged);
  EXPECT_TRUE(second.failed.empty());
  EXPECT_EQ(second.were_done + 1, second.parts);
  const SweepFolder::Found made = folder.look(first.failed[0].first);
  ASSERT_TRUE(made.part);
  std::set<std::tuple<int, std::int64_t, std::string>> once;
  for (const Simulated& time : made.part->times)
    EXPECT_TRUE(once.emplace(time.place.nodes, time.bytes, time.choice).second) << "what was there is simulated again";
  const SweepOverview whole = overview_of(request, folder);
  EXPECT_EQ(whole.part_done, 1);
  for (const auto& file : std::filesystem::directory_iterator(there.path + "/parts"))
    EXPECT_EQ(file.path().extension(), ".part");
  MergedTimes times(folder, whole.names_done());
  request.times = &times;
  EXPECT_EQ(to_json_text(tune(request)), one);
}

TEST(SweepFiles, SayWhatTheSweepWasAskedFor) {
  TuneRequest request = wide_request();
  request.osu_sizes = true;
  request.algorithms = {"ring", "knomial:radix=8"};
  request.baselines = {"mpich"};
  request.mode = parse_mode("barrier");
  request.bound = 0.1;
  const std::string text = sweep_text(request, "example-cluster");
  const SweepFile file = parse_sweep(text, "sweep.json");
  EXPECT_EQ(file.machine, "example-cluster");
  TuneRequest read = file.request;
  read.machine = request.machine;
  read.machine_text = request.machine_text;
  EXPECT_EQ(sweep_text(read, file.machine), text);
}

}  // namespace
}  // namespace tutti
