#include <cstdlib>

#include "tests/runtime/check_all.hpp"
#include "tests/runtime/teams.hpp"

namespace tutti {
namespace {

/// Unless the slow tests run, of what is on up to 5 ranks a sample on more: from the last root, of the counts the more
/// telling, and of two types of eight bytes the one that does not commute.
Extent extent_of(int ranks, std::vector<Count> counts) {
  const bool all = ranks <= 5 || std::getenv("TUTTI_SLOW_TESTS") != nullptr;
  if (!all) std::erase(counts, 7);  // 1 leaves ranks with nothing, too
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

/// More than one piece under way, and places that are used again.
void check_rings_in_pieces(Team& team) {
  const auto sum = [](auto a, auto b) { return a + b; };
  for (const Collective collective :
       {Collective::allreduce, Collective::reduce_scatter, Collective::reduce_scatter_block})
    for (const bool in_place : {false, true}) {
      const Case c{collective, team.size(), 20'011, 4, 0, in_place};
      if (!check<int>(team, parse_choice(collective, "pipelined_ring:segment=4096"), c,
                      reduction_of<int>(Predefined::sum), sum, -1))
        throw std::runtime_error("a ring in pieces does not run");
    }
}

TEST_P(EveryAlgorithm, OfRingsInPiecesGivesTheRightResultOverTcpAndSharedMemory) {
  for (const char* transports : {"tcp", "shm"}) {
    TeamOptions options = test_options();
    options.transports = transports;
    expect_well(on_processes(GetParam(), check_rings_in_pieces, options));
  }
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
