#include "tests/runtime/check_all.hpp"
#include "tests/runtime/teams.hpp"

/// Compositions by the levels of the machine that the test runs on, and permutations of its ranks.
namespace tutti {
namespace {

void check_levels(Team& team) {
  const auto sum = [](int a, int b) { return a + b; };
  const auto run = [&](Collective collective, const char* text, Count count, Rank root = 0) {
    const Case c{collective, team.size(), collective == Collective::barrier ? 0 : count, 4, root, false, Operator::sum};
    const Choice choice = parse_choice(collective, text);
    check<int>(team, choice, c, reduction_of<int>(Predefined::sum), sum, -1);
    if (!is_irregular(collective)) return;
    const Count each = collective == Collective::reduce_scatter ? 1 : c.ranks;
    const Count blocks = each * (collective == Collective::alltoallv ? c.ranks : 1);
    for (const char* skew : {"random:5", "one:0"})
      check<int>(team, choice, with_counts(c, skew, count * blocks), reduction_of<int>(Predefined::sum), sum, -1);
  };
  for (const Count count : {0, 1, 3001})
    for (const Rank root : {0, team.size() - 1}) {
      run(Collective::bcast, "hier(cache=linear,numa=binomial,socket=chain)", count, root);
      run(Collective::bcast, "hier(numa=binomial,global=chain):segment=4096", count, root);
      run(Collective::reduce, "hier(numa=linear,socket=binomial,node=none)", count, root);
      run(Collective::reduce, "hier(numa=binomial,global=rabenseifner):segment=4096", count, root);
      run(Collective::gather, "hier(cache=linear,numa=binomial,global=bine)", count, root);
      run(Collective::scatter, "hier(numa=linear,socket=binomial,node=none)", count, root);
      run(Collective::gatherv, "hier(cache=linear,socket=binomial)", count, root);
      run(Collective::scatterv, "hier(cache=binomial,numa=linear,global=linear)", count, root);
      for (const char* order : {"reversed", "cyclic", "block"}) {
        run(Collective::bcast, ("permuted(order=" + std::string(order) + ",of=chain)").c_str(), count, root);
        run(Collective::reduce, ("permuted(order=" + std::string(order) + ")").c_str(), count, root);
        run(Collective::gather, ("permuted(order=" + std::string(order) + ",of=bine)").c_str(), count, root);
        run(Collective::scatter, ("permuted(order=" + std::string(order) + ")").c_str(), count, root);
        run(Collective::gatherv, ("permuted(order=" + std::string(order) + ")").c_str(), count, root);
        run(Collective::scatterv, ("permuted(order=" + std::string(order) + ",of=linear)").c_str(), count, root);
      }
    }
  for (const Count count : {0, 1, 3001}) {
    run(Collective::allreduce, "hier(cache=flat,socket=binomial,global=ring)", count);
    run(Collective::allreduce, "hier(numa=binomial,socket=binomial,global=rabenseifner):segment=4096", count);
    run(Collective::allreduce, "permuted(order=cyclic,of=ring)", count);
    run(Collective::allgather, "permuted(order=2-0-1,of=bruck)", count);
    run(Collective::alltoall, "permuted(order=1-3-0-2)", count);
    run(Collective::allgather, "hier(cache=linear,numa=binomial,node=none,global=bruck)", count);
    run(Collective::allgather, "permuted(order=cyclic)", count);
    run(Collective::alltoall, "permuted(order=block)", count);
    run(Collective::alltoall, "hier(cache=pairwise,socket=linear,global=bruck)", count);
    run(Collective::reduce_scatter, "hier(cache=pairwise,numa=ring,global=circulant)", count);
    run(Collective::reduce_scatter_block, "hier(numa=pairwise,node=none)", count);
    run(Collective::alltoallv, "hier(cache=bruck,socket=pairwise,global=linear)", count);
    run(Collective::reduce_scatter, "permuted(order=cyclic)", count);
    run(Collective::reduce_scatter_block, "permuted(order=reversed,of=pairwise)", count);
  }
  for (const Count count : {0, 1, 3001}) {
    run(Collective::allgather, "hier(numa=flat,global=ring:segment=4096)", count);
    run(Collective::allgatherv, "permuted(order=cyclic,of=bruck)", count);
    run(Collective::alltoallv, "permuted(order=block)", count);
  }
  run(Collective::barrier, "hier(cache=linear,numa=bruck)", 0);
  run(Collective::barrier, "permuted(of=tree)", 0);
}

class Levels : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Levels, testing::Values(1, 2, 3, 5, 8));

TEST_P(Levels, GiveTheRightResultOnThreads) { expect_well(on_threads(GetParam(), check_levels)); }
TEST_P(Levels, GiveTheRightResultInProcesses) { expect_well(on_processes(GetParam(), check_levels)); }
TEST_P(Levels, GiveTheRightResultOverTcp) {
  TeamOptions options = test_options();
  options.transports = "tcp";
  expect_well(on_threads(GetParam(), check_levels, options));
}

TEST(LevelsOfSwitches, AreRefusedWithThoseThatAreKnown) {
  const auto trouble = on_threads(2, [](Team& team) {
    const Case c{Collective::bcast, 2, 4, 4, 0, false, Operator::sum};
    check<int>(
        team, parse_choice(Collective::bcast, "hier(leaf=linear)"), c, {}, [](int a, int) { return a; }, -1);
  });
  for (const std::string& text : trouble)
    EXPECT_NE(text.find("no level 'leaf' is known here: expected cache, numa, socket or node"), std::string::npos)
        << text;
}

}  // namespace
}  // namespace tutti
