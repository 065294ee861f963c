#include "tests/runtime/check_all.hpp"
#include "tests/runtime/teams.hpp"

namespace tutti {
namespace {

class EveryAlgorithm : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, EveryAlgorithm, testing::Range(1, 9));

TEST_P(EveryAlgorithm, GivesTheRightResultOnThreads) {
  expect_well(on_threads(GetParam(), [](Team& team) { check_all(team, {{0, 1, 7, 3001}}); }));
}

TEST_P(EveryAlgorithm, GivesTheRightResultInProcesses) {
  expect_well(on_processes(GetParam(), [](Team& team) { check_all(team, {{0, 1, 7, 3001}}); }));
}

TEST_P(EveryAlgorithm, GivesTheRightResultOverTcp) {
  TeamOptions options = test_options();
  options.transports = "tcp";
  expect_well(on_threads(
      GetParam(),
      [](Team& team) {
        check_all(team, {{0, 1, 3001}});
      },
      options));
}

}  // namespace
}  // namespace tutti
