#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "algos/error.hpp"
#include "tests/selection/request.hpp"

namespace tutti {
namespace {

using test::NotingEngine;
using test::small_request;

/// A folder of its own, removed at the end.
struct Folder {
  Folder() { std::filesystem::remove_all(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path =
      (std::filesystem::temp_directory_path() / (std::string("tutti-state-") + std::to_string(getpid()) + "-" +
                                                 testing::UnitTest::GetInstance()->current_test_info()->name()))
          .string();
};

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
           [](TuneRequest& r) { r.placement = "cyclic"; }, [](TuneRequest& r) { r.algorithms = {"ring"}; },
           [](TuneRequest& r) {
             static const Machine other = load_machine("azure-hbv2");
             r.machine = &other;  // the same text, but it names files that differ
           }}) {
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

TEST(State, AFolderThatCannotBeMadeIsRefused) {
  TuneRequest request = small_request();
  request.state_directory = "/dev/null/state";
  EXPECT_THROW(tune(request), InputError);
}

}  // namespace
}  // namespace tutti
