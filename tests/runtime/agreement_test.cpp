// What ranks must have alike, before their calls and in them.
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "tables/table.hpp"
#include "tests/runtime/teams.hpp"

namespace tutti {
namespace {

/// On two ranks all allreduces go by the algorithm.
class TableOf {
 public:
  explicit TableOf(const std::string& algorithm)
      : path_(testing::TempDir() + "tutti-" + algorithm + "-" + std::to_string(getpid()) + ".json") {
    Table table;
    table.machine = "m", table.engine = "e", table.mode = "isolated", table.placement = "block";
    Cell cell;
    cell.place = {Collective::allreduce, 1, 2};
    cell.bytes = 1024;
    cell.seconds = {{algorithm, 1e-6}};
    table.cells = {cell};
    derive_rules(table);
    std::ofstream(path_) << to_json_text(table);
  }
  ~TableOf() { std::remove(path_.c_str()); }
  TableOf(const TableOf&) = delete;
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

TEST(Agreement, OnTablesAndChecksIsAskedForBeforeTheFirstCall) {
  const TableOf linear("linear"), ring("ring");
  const auto on_two = [](const TeamOptions& first, const TeamOptions& second) {
    return on_threads_each(
        2,
        [](Team& team) {
          std::vector<std::int32_t> data(256, 1);
          team.allreduce(data, Predefined::sum);
        },
        [&](Rank rank) { return rank == 0 ? first : second; });
  };
  TeamOptions plain = test_options(), checked = plain, by_linear = plain, by_ring = plain;
  plain.limit = checked.limit = by_linear.limit = by_ring.limit = Limit(5);
  checked.checked = true;
  by_linear.table = linear.path(), by_ring.table = ring.path();
  expect_well(on_two(by_ring, by_ring));
  for (const std::string& trouble : on_two(plain, checked))
    EXPECT_EQ(trouble,
              "rank 1 has checked calls, rank 0 has unchecked calls: expected the same on all ranks "
              "(TeamOptions::checked)");
  for (const std::string& trouble : on_two(by_linear, plain)) {
    EXPECT_NE(trouble.find("rank 1 has no selection table, rank 0 has a table of 1 rules"), std::string::npos)
        << trouble;
    EXPECT_NE(trouble.find("expected the same on all ranks (--table, TeamOptions::table)"), std::string::npos);
  }
  for (const std::string& trouble : on_two(by_linear, by_ring))
    EXPECT_NE(trouble.find("rank 1 has a table of 1 rules ["), std::string::npos) << trouble;
}

Task does_nothing(Comm comm, Call) {
  (void)comm;
  co_return;
}

/// By the last of five ranks and by the others.
void call_with(Team& team, const std::string& what, bool other) {
  std::vector<std::int32_t> in(4, 1), out(4);
  if (what == "operators") return team.allreduce(in, out, other ? Predefined::logical_and : Predefined::bit_or);
  if (what == "orders") {
    const auto last = [](int, int b) { return b; };
    return other ? team.allreduce(in, out, ordered(last)) : team.allreduce(in, out, commutative(last));
  }
  if (what == "types") {
    std::vector<float> numbers(4);
    return other ? team.allreduce(numbers, Predefined::sum) : team.allreduce(out, Predefined::sum);
  }
  if (what == "algorithms") return team.run(other ? calls::bcast(in).by(does_nothing) : calls::bcast(in));
  if (what == "counts") {  // that are the same in all and of the first ranks
    std::vector<Count> counts(25, 1);
    if (other) counts[23] = 2, counts[24] = 0;
    in.resize(5), out.resize(other ? 4 : 5);
    return team.alltoallv(in, out, std::make_shared<BlockCounts>(5, counts));
  }
  const std::vector<Neighborhood::Edge> around{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}},
      back{{0, 4}, {1, 0}, {2, 1}, {3, 2}, {4, 3}};
  team.neighbor_allgather(in, out, std::make_shared<const Neighborhood>(5, other ? back : around));
}

class Differing : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Agreement, Differing,
                         testing::Values("operators", "orders", "types", "algorithms", "counts", "neighbors"));

TEST_P(Differing, PartsOfCallsAreToldInCheckedMode) {
  TeamOptions options = test_options();
  options.checked = true;
  options.limit = Limit(5);
  const auto troubles = [&](Rank who) {
    return on_threads(
        5, [&](Team& team) { call_with(team, GetParam(), team.rank() == who); }, options);
  };
  expect_well(troubles(kNobody));
  for (const std::string& trouble : troubles(4)) {
    EXPECT_NE(trouble.find(" calls "), std::string::npos) << trouble;
    EXPECT_NE(trouble.find("rank 4 "), std::string::npos) << trouble;
  }
}

TEST(Agreement, OnNeighboursNeedsNoSizeOfWhoHasNone) {
  TeamOptions options = test_options();
  options.checked = true;
  expect_well(on_threads(
      3,
      [](Team& team) {
        const auto pair = std::make_shared<const Neighborhood>(3, std::vector<Neighborhood::Edge>{{0, 1}, {1, 0}});
        const auto all = Neighborhood::from("3", 3);
        std::vector<int> in(team.rank() < 2 ? 4 : 0, team.rank()), out(in.size(), -1), sent(6), received(6);
        const auto call = calls::neighbor_alltoall(in, out, pair).with("node_aware");
        // Who relays has to know the size.
        if (team.algorithm_of(call) != "linear") throw std::runtime_error("runs by " + team.algorithm_of(call));
        if (team.algorithm_of(calls::neighbor_alltoall(sent, received, all).with("node_aware")) != "node_aware")
          throw std::runtime_error("all have neighbours");
        team.run(call);
        if (out != std::vector<int>(in.size(), 1 - team.rank())) throw std::runtime_error("wrong data");
      },
      options));
}

}  // namespace
}  // namespace tutti
