#include "selection/sweep_state.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/error.hpp"
#include "tests/selection/folder.hpp"
#include "tests/selection/request.hpp"

namespace tutti {
namespace {

using test::Folder;
using test::NotingEngine;
using test::small_request;

/// A folder of its own, removed at the end.
TEST(State, WhatIsThereIsNotSimulatedAgain) {
  const Folder folder;
  TuneRequest request = small_request();
  const std::string without = to_json_text(tune(request));
  request.state_directory = folder.path;
  EXPECT_EQ(to_json_text(tune(request)), without);
  NotingEngine::asked.clear();
  EXPECT_EQ(to_json_text(tune(request)), without);
  EXPECT_TRUE(NotingEngine::asked.empty());
}

TEST(State, AfterAFailureOnlyTheRestIsSimulated) {
  TuneRequest request = small_request();
  const std::string undisturbed = to_json_text(tune(request));
  const std::size_t all = NotingEngine::asked.size();
  for (const std::size_t fail_at : {std::size_t{1}, all / 2, all}) {
    const Folder folder;
    request = small_request();
    request.state_directory = folder.path;
    NotingEngine::fail_at = fail_at;
    EXPECT_THROW(tune(request), std::runtime_error);
    NotingEngine::fail_at = 0;
    NotingEngine::asked.clear();
    EXPECT_EQ(to_json_text(tune(request)), undisturbed) << "failed at " << fail_at;
    if (fail_at > 1) {
      EXPECT_LT(NotingEngine::asked.size(), all) << "failed at " << fail_at;
    }
  }
}

TEST(State, AWiderSweepTakesUpWhatANarrowerOneLeft) {
  const Folder folder;
  TuneRequest request = small_request();
  const std::string wide = to_json_text(tune(request));
  request.state_directory = folder.path;
  request.nodes = {3};
  request.bytes = {64, 1024};
  tune(request);
  request = small_request();
  request.state_directory = folder.path;
  EXPECT_EQ(to_json_text(tune(request)), wide);
}

TEST(State, ThatOfAnotherSweepIsRefused) {
  for (const auto& change : std::vector<std::function<void(TuneRequest&)>>{
           [](TuneRequest& r) { r.machine_text += " "; }, [](TuneRequest& r) { r.mode = parse_mode("barrier"); },
           [](TuneRequest& r) { r.placement = "cyclic"; },
           [](TuneRequest& r) { r.machine_files = {TUTTI_SOURCE_DIR "/LICENSE"}; }}) {
    const Folder folder;
    TuneRequest request = small_request();
    request.state_directory = folder.path;
    tune(request);
    change(request);
    NotingEngine::asked.clear();
    EXPECT_THROW(tune(request), InputError);
    EXPECT_TRUE(NotingEngine::asked.empty());
  }
}

TEST(State, ThatOfAnotherBuildIsRefused) {
  const Folder folder;
  TuneRequest request = small_request();
  request.state_directory = folder.path;
  tune(request);
  sqlite3* state = nullptr;
  ASSERT_EQ(sqlite3_open((folder.path + "/sweep.sqlite").c_str(), &state), SQLITE_OK);
  EXPECT_EQ(
      sqlite3_exec(state, "UPDATE identity SET text = replace(text, 'model ', 'model 0')", nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(state);
  EXPECT_THROW(tune(request), InputError);
}

TEST(State, ServesAnyCandidatesAndCollectivesInAnyOrder) {
  const Folder folder;
  TuneRequest request = small_request();
  request.state_directory = folder.path;
  tune(request);
  NotingEngine::asked.clear();
  std::reverse(request.collectives.begin(), request.collectives.end());
  tune(request);
  EXPECT_TRUE(NotingEngine::asked.empty());
  request.collectives = {Collective::allgather};
  request.algorithms = {"ring"};
  EXPECT_NO_THROW(tune(request));
}

TEST(State, APutThatFailsLeavesNothingAndTheNextOneWorks) {
  const Folder folder;
  SweepState state(folder.path, "me");
  const Simulated good{"e", {Collective::bcast, 2, 1}, 8, "linear", 1e-6};
  Simulated bad = good;
  bad.choice = "ring";
  bad.seconds = std::numeric_limits<double>::quiet_NaN();  // SQLite takes it for NULL, which a time must not be
  EXPECT_THROW(state.put(std::vector{good, bad}), InputError);
  EXPECT_TRUE(state.all().empty());
  state.put(std::vector{good});
  ASSERT_EQ(state.all().size(), 1u);
  EXPECT_EQ(state.all()[0].choice, "linear");
}

TEST(State, ARowThatWasChangedInTheFileIsSimulatedAnew) {
  const Folder kept("-kept");
  TuneRequest request = small_request();
  request.collectives = {Collective::bcast, Collective::barrier};
  const std::string without = to_json_text(tune(request));
  request.state_directory = kept.path;
  EXPECT_EQ(to_json_text(tune(request)), without);
  for (const char* change :
       {"UPDATE simulated SET seconds = seconds * 1.0000001", "UPDATE simulated SET seconds = 'fast'",
        "UPDATE simulated SET nodes = nodes + 1000", "UPDATE simulated SET bytes = bytes + 1",
        "UPDATE simulated SET choice = 'linear' || choice", "UPDATE simulated SET collective = 'cast' || collective",
        "UPDATE simulated SET engine = 'slow' || engine", "UPDATE simulated SET exceeded = 1 - exceeded",
        "UPDATE simulated SET checksum = checksum + 1"}) {
    const Folder folder;
    std::filesystem::copy(kept.path, folder.path, std::filesystem::copy_options::recursive);
    request.state_directory = folder.path;
    sqlite3* state = nullptr;
    ASSERT_EQ(sqlite3_open((folder.path + "/sweep.sqlite").c_str(), &state), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(state, change, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(state);
    const int changed = sqlite3_changes(state);
    sqlite3_close(state);
    std::size_t damaged = 0;
    request.damaged = [&](std::size_t rows) { damaged = rows; };
    EXPECT_EQ(to_json_text(tune(request)), without) << change;
    EXPECT_EQ(damaged, static_cast<std::size_t>(changed)) << change;
    EXPECT_GT(damaged, 0u);
  }
}

TEST(State, AFolderThatCannotBeMadeIsRefused) {
  TuneRequest request = small_request();
  request.state_directory = "/dev/null/state";
  EXPECT_THROW(tune(request), InputError);
}

TEST(State, AnAnswerDoesNotDependOnWhatWasAskedBefore) {
  const Folder folder;
  const Query query{{Collective::allreduce, 4, 2}, 65536, parse_choice(Collective::allreduce, "ring")};
  const double whole = Simulations(test::example(), {}, "block", nullptr).seconds("fast", query);
  const auto expect_answers = [&](Simulations& simulations, const std::vector<double>& shares) {
    for (const double share : shares) {
      const Time time = simulations.times("fast", {&query, 1}, share * whole).front();
      EXPECT_EQ(time.exceeded, share < 1) << share;
      EXPECT_EQ(time.seconds, share < 1 ? share * whole : whole) << share;
    }
  };
  for (const std::vector<double>& shares :
       {std::vector<double>{0.1, 0.5, 0.3, 1, 0.2}, {1, 0.5, 2}, {0.5, 0.1}, {0.7, 0.7, 0.9}}) {
    SweepState state(folder.path, "me");
    Simulations simulations(test::example(), {}, "block", &state);
    expect_answers(simulations, shares);
    Simulations resumed(test::example(), {}, "block", &state);
    expect_answers(resumed, shares);
    resumed.report_to([](const SimulationCost&) { FAIL() << "it was known"; });
    expect_answers(resumed, shares);
  }
}

}  // namespace
}  // namespace tutti
