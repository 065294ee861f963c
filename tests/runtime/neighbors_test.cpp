#include <numeric>

#include "tests/runtime/check_all.hpp"
#include "tests/runtime/teams.hpp"

namespace tutti {
namespace {

void expect_of_neighbors(bool right, const std::string& what) {
  if (!right) throw std::runtime_error(what);
}

void run_every_algorithm(Team& team) {
  for (const Algorithm& algorithm : registry())
    if (is_of_neighbors(algorithm.collective()))
      expect_of_neighbors(check_algorithm(team, algorithm, {{0, 1, 3001}}) > 0, algorithm.full_name());
}

/// On a line with borders the outer ranks have one neighbour; what would come from nobody stays.
void exchange_halos(Team& team) {
  const int size = team.size(), rank = team.rank();
  const auto line = Neighborhood::from(std::to_string(size) + ":open", size);
  for (const char* algorithm : {"", "linear", "combining", "node_aware"}) {
    const std::vector<int> in{10 * rank, 10 * rank + 1};  // for the one before, for the one after
    std::vector<int> out{-1, -1};
    team.run(calls::neighbor_alltoall(in, out, line).with(algorithm));
    expect_of_neighbors(out[0] == (rank == 0 ? -1 : 10 * (rank - 1) + 1), "from the one before");
    expect_of_neighbors(out[1] == (rank == size - 1 ? -1 : 10 * (rank + 1)), "from the one after");
  }
}

/// Rank r has r elements for its neighbours: both get them, or the one after alone.
void exchange_counts_that_each_knows_of_itself(Team& team) {
  const int size = team.size(), rank = team.rank();
  const auto ring = Neighborhood::from(std::to_string(size), size);
  const Rank before = (rank - 1 + size) % size, after = (rank + 1) % size;
  const auto counts = team.counts_among(*ring, Count{rank});
  const std::vector<int> mine(static_cast<std::size_t>(rank), rank);
  std::vector<int> wanted(static_cast<std::size_t>(before), before), out(static_cast<std::size_t>(before + after), -1);
  wanted.insert(wanted.end(), static_cast<std::size_t>(after), after);
  team.neighbor_allgatherv(mine, out, ring, counts);
  expect_of_neighbors(out == wanted, "neighbor_allgatherv");

  const auto blocks = team.counts_among(*ring, std::vector<Count>{0, rank});  // all to the one after
  std::vector<int> got(static_cast<std::size_t>(before), -1);
  team.neighbor_alltoallv(mine, got, ring, blocks);
  expect_of_neighbors(got == std::vector<int>(static_cast<std::size_t>(before), before), "neighbor_alltoallv");
}

void refuse_neighbors_that_do_not_fit(Team& team) {
  const auto refused = [&](const CollectiveCall& call) {
    try {
      team.run(call);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  const int size = team.size();
  const auto ring = Neighborhood::from(std::to_string(size), size);
  const auto graph = std::make_shared<Neighborhood>(size, std::vector<Neighborhood::Edge>{{0, 1}, {1, 0}, {2, 2}});
  std::vector<int> in(2), out(2), one(1), three(3);
  expect_of_neighbors(refused(calls::neighbor_alltoall(in, three, ring)), "a block too many");
  expect_of_neighbors(refused(calls::neighbor_alltoall(one, out, ring)), "half a block");
  expect_of_neighbors(refused(calls::neighbor_alltoall(in, out, nullptr)), "no neighbours");
  expect_of_neighbors(
      refused(calls::neighbor_alltoall(in, out, Neighborhood::from(std::to_string(size + 1), size + 1))), "others'");
  expect_of_neighbors(refused(calls::neighbor_alltoall(one, three, graph)), "a graph's other blocks");
  std::vector<int> back(1, -1);
  expect_of_neighbors(refused(calls::neighbor_alltoall(one, back, graph).with("combining")),
                      "message combining on a graph");
  expect_of_neighbors(refused(calls::neighbor_allgatherv(one, out, ring, BlockCounts::from("equal", size, 3, false))),
                      "counts that are of no neighbours");
  team.neighbor_alltoall(one, back, graph);
}

TEST(NeighborCalls, AreRightByEveryAlgorithmOnThreads) {
  for (const int ranks : {1, 2, 3, 6}) expect_well(on_threads(ranks, run_every_algorithm));
}
TEST(NeighborCalls, AreRightByEveryAlgorithmInProcesses) { expect_well(on_processes(4, run_every_algorithm)); }
TEST(NeighborCalls, AreRightByEveryAlgorithmOverTcp) {
  TeamOptions options = test_options();
  options.transports = "tcp";
  expect_well(on_processes(4, run_every_algorithm, options));
}
TEST(NeighborCalls, LeaveWhatWouldComeFromBeyondABorder) { expect_well(on_threads(4, exchange_halos)); }
TEST(NeighborCalls, TakeCountsThatEachRankKnowsOfItself) {
  expect_well(on_threads(5, exchange_counts_that_each_knows_of_itself));
}
TEST(NeighborCalls, RefuseBuffersAndNeighboursThatDoNotFit) {
  expect_well(on_threads(3, refuse_neighbors_that_do_not_fit));
}

}  // namespace
}  // namespace tutti
