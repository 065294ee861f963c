#include <cstdlib>

#include "tests/runtime/check_all.hpp"
#include "tests/runtime/teams.hpp"

namespace tutti {
namespace {

/// Unless the slow tests run, of what is on up to 5 ranks a sample on more: from the last root, of the counts the more
/// telling, and of two types of eight bytes the one that does not commute.
Extent extent_of(int ranks, std::vector<Count> counts) {
  const bool all = ranks <= 5 || std::getenv("TUTTI_SLOW_TESTS") != nullptr;
  if (!all) std::erase(counts, 1);  // 7 leave a rank with nothing, too
  return {std::move(counts), all, true, all};
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
