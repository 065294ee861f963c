#include <numeric>

#include "tests/runtime/check_all.hpp"
#include "tests/runtime/teams.hpp"

namespace tutti {
namespace {

void expect_in_child(bool right, const std::string& what) {
  if (!right) throw std::runtime_error(what);
}

/// Rank r sends (r + to + round) % 4 elements to each, all of them r; in call after call with other counts.
void exchange_with_new_counts(Team& team) {
  for (int round = 0; round < 50; ++round) {
    std::vector<Count> mine;
    for (Rank to = 0; to < team.size(); ++to) mine.push_back((team.rank() + to + round) % 4);
    const auto counts = team.counts_of_pairs(mine);
    std::vector<int> in(static_cast<std::size_t>(counts->exchange(team.rank()).sent.total()), team.rank()), wanted;
    for (Rank from = 0; from < team.size(); ++from)
      wanted.insert(wanted.end(), static_cast<std::size_t>((from + team.rank() + round) % 4), from);
    std::vector<int> out(wanted.size(), -1);
    team.alltoallv(in, out, counts);
    expect_in_child(out == wanted, "alltoallv in round " + std::to_string(round));
  }
}

void gather_what_each_has(Team& team) {
  const auto counts = team.counts_of_ranks(team.rank() % 3);
  const std::vector<int> mine(static_cast<std::size_t>(team.rank() % 3), team.rank());
  std::vector<int> all(static_cast<std::size_t>(counts->total()), -1), wanted, back(mine.size(), -1);
  for (Rank rank = 0; rank < team.size(); ++rank) wanted.insert(wanted.end(), static_cast<std::size_t>(rank % 3), rank);
  team.allgatherv(mine, all, counts);
  expect_in_child(all == wanted, "allgatherv");
  std::vector<int> at_root(team.rank() == 1 ? all.size() : 0, -1);
  team.gatherv(mine, at_root, counts, 1);
  expect_in_child(team.rank() != 1 || at_root == wanted, "gatherv");
  team.scatterv(at_root, back, counts, 1);
  expect_in_child(back == mine, "scatterv");
}

/// Rank r adds r to element i of all ranks' vectors; block b has (b + round) % 3 elements, in call after call.
void scatter_sums_by_counts(Team& team) {
  for (int round = 0; round < 6; ++round) {
    const auto counts = team.counts_of_ranks((team.rank() + round) % 3);
    const Blocks blocks = counts->blocks();
    std::vector<int> in(static_cast<std::size_t>(counts->total())), wanted;
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i) + team.rank();
    const int ranks = team.size(), others = ranks * (ranks - 1) / 2;
    for (Count i = 0; i < blocks.count(team.rank()); ++i)
      wanted.push_back(ranks * static_cast<int>(blocks.first(team.rank()) + i) + others);
    std::vector<int> out(wanted.size(), -1);
    team.reduce_scatter(in, out, counts, Predefined::sum);
    expect_in_child(out == wanted, "reduce_scatter in round " + std::to_string(round));
    team.reduce_scatter(in, counts, Predefined::sum);
    in.resize(wanted.size());
    expect_in_child(in == wanted, "reduce_scatter in place in round " + std::to_string(round));
  }
}

void refuse_counts_that_do_not_fit(Team& team) {
  const auto refused = [&](const CollectiveCall& call) {
    try {
      team.run(call);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  const auto counts = BlockCounts::from("one:0", team.size(), 10, false);
  std::vector<int> in(team.rank() == 0 ? 10 : 0), short_out(9), out(10);
  expect_in_child(refused(calls::allgatherv(in, short_out, counts)), "a short buffer");
  expect_in_child(refused(calls::alltoallv(in, out, counts)), "counts of ranks where those of pairs are wanted");
  expect_in_child(refused(calls::allgatherv(in, out, BlockCounts::from("equal", team.size() + 1, 10, false))),
                  "others' counts");
  expect_in_child(refused(calls::allgatherv(in, out, std::make_shared<BlockCounts>(std::vector<Count>{}))),
                  "counts of nobody");
  const std::vector<int> vector(10);
  expect_in_child(refused(calls::reduce_scatter(short_out, out, counts, Predefined::sum)), "a short vector");
  expect_in_child(refused(calls::reduce_scatter(vector, out, counts, Predefined::sum).with("hier")),
                  "blocks that hier cannot divide");
  team.run(calls::allgatherv(in, out, counts));
}

TEST(IrregularCalls, TakeOtherCountsEachTime) { expect_well(on_threads(4, exchange_with_new_counts)); }
TEST(IrregularCalls, TakeOtherCountsEachTimeInProcesses) { expect_well(on_processes(3, exchange_with_new_counts)); }
TEST(IrregularCalls, KnowWhatEachRankHas) { expect_well(on_threads(5, gather_what_each_has)); }
TEST(IrregularCalls, ScatterSumsByCounts) { expect_well(on_threads(4, scatter_sums_by_counts)); }
TEST(IrregularCalls, RefuseBuffersAndCountsThatDoNotFit) { expect_well(on_threads(3, refuse_counts_that_do_not_fit)); }

}  // namespace
}  // namespace tutti
