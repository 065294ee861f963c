#include <cstdlib>

#include "tests/runtime/check_all.hpp"
#include "tests/runtime/teams.hpp"

namespace tutti {
namespace {

/// On up to 5 ranks from every root, on more from the last, unless the slow tests run.
Extent extent_of(int ranks, std::vector<Count> counts) {
  return {std::move(counts), ranks <= 5 || std::getenv("TUTTI_SLOW_TESTS") != nullptr};
}

class EveryAlgorithm : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, EveryAlgorithm, testing::Range(1, 9));

TEST_P(EveryAlgorithm, GivesTheRightResultOnThreads) {
  expect_well(on_threads(GetParam(), [](Team& team) { check_all(team, extent_of(team.size(), {0, 1, 7, 3001})); }));
}

TEST_P(EveryAlgorithm, GivesTheRightResultInProcesses) {
  expect_well(on_processes(GetParam(), [](Team& team) { check_all(team, extent_of(team.size(), {0, 1, 7, 3001})); }));
}

TEST_P(EveryAlgorithm, GivesTheRightResultOverTcp) {
  TeamOptions options = test_options();
  options.transports = "tcp";
  expect_well(on_threads(
      GetParam(),
      [](Team& team) {
        check_all(team, extent_of(team.size(), {0, 1, 3001}));
      },
      options));
}

}  // namespace
}  // namespace tutti
