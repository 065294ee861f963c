// Open MPI follows its file whatever the operator: what is wrong for those that do not commute is said, or not named.
#include <gtest/gtest.h>

#include <algorithm>

#include "selection/candidates.hpp"
#include "selection/operand_order.hpp"
#include "selection/pricing.hpp"

namespace tutti {
namespace {

using enum Collective;

/// An allreduce on five ranks and reduces, one rank a node, for which the fastest need operators that commute.
Table out_of_order_table() {
  Table table;
  table.machine = "a-machine", table.engine = "fast", table.mode = "isolated", table.placement = "block";
  const auto add = [&](Collective collective, std::map<std::string, double> seconds) {
    Cell cell{{collective, 5, 1}, 65536, std::move(seconds)};
    for (const char* library : {"open-mpi-4.1", "open-mpi-5.0", "open-mpi-5.0-without-han", "mpich"})
      cell.default_seconds[library] = 9e-6;
    table.cells.push_back(std::move(cell));
  };
  add(allreduce, {{"linear", 4e-6}, {"ring", 1e-6}});
  add(bcast, {{"chain:fanout=1", 1e-6}});
  add(reduce, {{"binomial", 1e-6}, {"in_order_binary", 2e-6}});
  add(reduce_scatter, {{"recursive_halving", 1e-6}});
  derive_rules(table);
  return table;
}

std::string said(const Exporter& exporter, const Exported& exported, Collective collective) {
  const auto choice =
      exporter.read(exported.text, "it")->choice(case_for({collective, 5, 1}, 65536), RanksOnNodes{5, 1, 1});
  return choice ? choice->algorithm->name() : "";
}

bool warns(const Table& table, const Exported& exported, const ExportOptions& options) {
  const std::vector<std::string> lines = describe(table, exported.priced, options);
  return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.starts_with("operators that do not commute get wrong results") &&
           line.find(": allreduce, reduce, reduce_scatter, and") != std::string::npos;
  });
}

TEST(Operators, OfRulesThatAreWrongForSomeTheHeaderSaysSoAndAnyOperatorHasNone) {
  const Table table = out_of_order_table();
  for (const char* form : {"open-mpi-classic", "open-mpi-classic-5.0", "open-mpi", "open-mpi-json"}) {
    SCOPED_TRACE(form);
    const Exporter& exporter = find_exporter(form);
    ExportOptions options;
    const Exported fastest = export_table(table, exporter, options);
    EXPECT_EQ(said(exporter, fastest, allreduce), "ring");
    EXPECT_EQ(fastest.priced.out_of_order, (std::vector<Collective>{allreduce, reduce, reduce_scatter}));
    EXPECT_TRUE(warns(table, fastest, options));
    options.any_operator = true;
    const Exported safe = export_table(table, exporter, options);
    EXPECT_EQ(said(exporter, safe, allreduce), "linear");
    EXPECT_EQ(said(exporter, safe, bcast), "chain");
    EXPECT_EQ(said(exporter, safe, reduce), "in_order_binary");
    EXPECT_EQ(said(exporter, safe, reduce_scatter), "");
    EXPECT_EQ(safe.priced.out_of_order, std::vector<Collective>{});
    EXPECT_FALSE(warns(table, safe, options));
  }
}

TEST(Operators, AreMindedByMpichWhoseFileIsTheSameForAll) {
  const Table table = out_of_order_table();
  const Exporter& exporter = find_exporter("mpich-json");
  ExportOptions options;
  const Exported fastest = export_table(table, exporter, options);
  EXPECT_EQ(fastest.priced.out_of_order, std::vector<Collective>{});
  options.any_operator = true;
  EXPECT_EQ(export_table(table, exporter, options).text, fastest.text);
}

TEST(Operators, AreAskedOfWhatRunsInTheEnd) {
  const auto breaks = [](Collective collective, const char* choice) {
    return breaks_order(parse_choice(collective, choice), case_for({collective, 5, 1}, 65536));
  };
  EXPECT_TRUE(breaks(allreduce, "ring"));
  EXPECT_FALSE(breaks(allreduce, "rabenseifner")) << "Open MPI runs linear in its place";
  EXPECT_FALSE(breaks(allgather, "ring"));
}

TEST(Operators, AreNotedByLintAtTheFirstRuleOfEachCollective) {
  const char* rules = "2\n2\n1\n2\n3\n0 3 0 0\n64 4 0 0\n8192 5 0 8192\n7\n1\n2\n1\n0 3 0 0\n";
  std::vector<std::string> lines;
  for (const LintFinding& each : lint(find_exporter("open-mpi-classic"), rules, "it"))
    if (each.kind == "operator") lines.push_back(std::to_string(each.line) + (each.note ? " note" : ""));
  EXPECT_EQ(lines, std::vector<std::string>{"7 note"});
}

}  // namespace
}  // namespace tutti
