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

}  // namespace
}  // namespace tutti
