// Sizes, ranks and communicators that nobody tuned.
#include <gtest/gtest.h>

#include <algorithm>

#include "selection/baselines.hpp"
#include "selection/candidates.hpp"
#include "selection/file_rules.hpp"
#include "selection/own_choices.hpp"
#include "selection/pricing.hpp"

namespace tutti {
namespace {

using enum Collective;

constexpr std::int64_t kSmallest = 1024, kLargest = 65536;

/// On eight ranks, one a node, for whatever library.
Table two_sizes(Collective collective, const std::string& choice) {
  Table table;
  table.machine = "a-machine", table.engine = "fast", table.mode = "isolated", table.placement = "block";
  for (const std::int64_t bytes : {kSmallest, kLargest}) {
    Cell cell{{collective, 8, 1}, bytes, {{choice, 1e-6}}};
    for (const std::string& library : baseline_names()) cell.default_seconds[library] = 9e-6;
    table.cells.push_back(std::move(cell));
  }
  derive_rules(table);
  return table;
}

/// That the exporter can say, and the library does not run by itself; empty: none.
std::string any_choice(const Exporter& exporter, Collective collective) {
  const Baseline* library = own_choices_of(exporter);
  const auto is_own = [&](const Choice& choice, std::int64_t bytes) {
    const Case c = case_for({collective, 8, 1}, bytes);
    return library && normalized(pick(*library, c, {8, 1, 1}).choice, c) == normalized(choice, c);
  };
  for (const Choice& choice : candidate_choices(collective, {}))
    if (exporter.can_say(choice) && !choice.algorithm->is_by_node() && !is_own(choice, kSmallest) &&
        !is_own(choice, kLargest))
      return choice.text();
  return "";
}

bool says_anything(const TuningFile& file, Collective collective, std::int64_t bytes) {
  return file.choice(case_for({collective, 8, 1}, bytes), {8, 1, 1}).has_value();
}

bool has_line(const std::vector<std::string>& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

TEST(UntunedSizes, AreTakenForTunedHalfOfTheWayToHalfAndTwiceAsMuch) {
  EXPECT_EQ(served_sizes(1024, 65536), (std::pair<std::int64_t, std::int64_t>{768, 98303}));
  EXPECT_EQ(served_sizes(0, 0), (std::pair<std::int64_t, std::int64_t>{0, 0}));
  EXPECT_EQ(served_sizes(1, 3), (std::pair<std::int64_t, std::int64_t>{1, 4}));
  EXPECT_EQ(served_sizes(8, Rule::kUnlimited).second, Rule::kUnlimited);
}

TEST(UntunedSizes, AreLeftToTheLibraryByEveryFormThatCanOrTheHeaderSaysSo) {
  for (const Exporter* exporter : exporters()) {
    if (exporter->name() == "open-mpi-han") continue;  // it says something where built-in rules agree
    SCOPED_TRACE(exporter->name());
    std::size_t asked = 0;
    for (const Collective collective : {bcast, allreduce, gather, scan, allgather, alltoall}) {
      const std::string choice = any_choice(*exporter, collective);
      if (choice.empty()) continue;
      SCOPED_TRACE(name_of(collective));
      ++asked;
      const Table table = two_sizes(collective, choice);
      for (const bool extend_sizes : {false, true}) {
        ExportOptions options;
        options.extend_sizes = extend_sizes;
        const Exported exported = export_table(table, *exporter, options);
        const auto file = exporter->read(exported.text, "it");
        for (const std::int64_t bytes : {kSmallest, std::int64_t{1520}, kLargest, std::int64_t{98288}})
          EXPECT_TRUE(says_anything(*file, collective, bytes)) << bytes;
        const bool leaves = leaves_sizes(*exporter, collective) && !extend_sizes;
        for (const std::int64_t bytes :
             {std::int64_t{8}, std::int64_t{760}, std::int64_t{98304}, std::int64_t{1} << 28})
          EXPECT_EQ(says_anything(*file, collective, bytes), !leaves) << bytes;
        const std::vector<std::string> said = describe(table, exported.priced, options);
        EXPECT_EQ(has_line(said, "are left to the library (--extend-sizes gives them rules)"), leaves);
        EXPECT_EQ(has_line(said, "cannot be left to the library where rules serve all sizes: " +
                                     std::string(name_of(collective))),
                  !leaves && !extend_sizes);
        EXPECT_EQ(exported.priced.for_all_sizes.empty(), leaves_sizes(*exporter, collective));
        EXPECT_DOUBLE_EQ(exported.priced.all.gains.file, exported.priced.own.empty() ? 1 : 9);
      }
    }
    EXPECT_GT(asked, 0u);
  }
}

TEST(UntunedSizes, BesideRulesOfHanLeaveThoseOfNodesAsTheyAre) {
  // coll/han serves 1 MiB on 4 x 2, which nobody tuned: its broadcasts to four ranks keep what was tuned for them.
  Table table = two_sizes(bcast, "linear");
  for (Cell& cell : table.cells) cell.place.nodes = 4;
  std::vector<Cell> with_han = table.cells;
  for (Cell& cell : with_han) cell.place.ppn = 2;
  table.cells.insert(table.cells.end(), with_han.begin(), with_han.end());
  derive_rules(table);
  const Exporter& exporter = find_exporter("open-mpi");
  const auto file = exporter.read(export_table(table, exporter, {}).text, "it");
  const auto on = [&](int nodes, int ppn, std::int64_t bytes) {
    const auto said = file->choice(case_for({bcast, nodes, ppn}, bytes), {nodes, ppn, ppn});
    return said ? said->text() : "";
  };
  EXPECT_EQ(on(4, 1, kLargest), "linear");
  EXPECT_EQ(on(4, 2, kLargest), "linear");
  EXPECT_EQ(on(4, 1, 1 << 20), "");
}

TEST(UntunedRanks, OfAllgathersBetweenTwoThatWereTunedHaveRulesWhereBothFilesOfOpenMpiSayTheSame) {
  Table table;
  table.machine = "a-machine", table.engine = "fast", table.mode = "isolated", table.placement = "block";
  for (const int nodes : {4, 8})
    for (const int block : {64, 8192})
      table.cells.push_back(
          {{allgather, nodes, 2}, std::int64_t{block} * nodes * 2, {{"ring", 1e-6}}, {{"open-mpi-5.0", 9e-6}}});
  derive_rules(table);
  const Exporter& exporter = find_exporter("open-mpi");
  for (const bool extend_sizes : {false, true}) {
    const Exported exported = export_table(table, exporter, {std::nullopt, true, extend_sizes});
    const auto file = exporter.read(exported.text, "it");
    for (const int nodes : {4, 5, 7, 8, 9})
      for (const std::int64_t block : {8, 64, 1000, 8192, 1 << 20}) {
        const auto said = file->choice(case_for({allgather, nodes, 2}, block * nodes * 2), {nodes, 2, 2});
        const bool is_tuned = nodes % 4 == 0 && block >= 64 && block <= 8192;
        EXPECT_EQ(said ? said->text() : "", extend_sizes || is_tuned ? "ring" : "") << nodes << " x 2, " << block;
      }
    EXPECT_EQ(has_line(exported.priced.remarks, "allgather: nothing for 9 to 15, 17 and more ranks"), !extend_sizes);
  }
}

TEST(Headers, SayWhichOtherCommunicatorsFollowTheRules) {
  const auto said = [](const char* target) {
    const Exporter& exporter = find_exporter(target);
    const Table table = two_sizes(allgather, any_choice(exporter, allgather));
    return describe(table, export_table(table, exporter, {}).priced, {});
  };
  for (const auto& [target, words] :
       {std::pair("open-mpi-classic",
                  "rules for N ranks also serve every other communicator of N ranks, such as N ranks "
                  "of one node of a larger job"),
        {"open-mpi-json", "every other communicator of N ranks of the same distribution"},
        {"ucc", "every other communicator on as many nodes with as many ranks each"},
        {"mpich-json", "every other communicator of as many ranks with as many ranks on a node in the mean"},
        {"nccl", "every other communicator of as many ranks on as many nodes"},
        {"intel", "rules for a job also serve all its communicators of fewer ranks"},
        {"mvapich2", "rules for a job also serve all its communicators of fewer ranks"},
        {"pgmpitune", "smaller ones are left to the library"},
        {"open-mpi", "rules for N ranks also steer N nodes, or N ranks a node, of any larger job"}})
    EXPECT_TRUE(has_line(said(target), words)) << target;
  const std::string left = "numbers of ranks that were not tuned are left to the library";
  EXPECT_TRUE(has_line(said("open-mpi"), left + ", but for what coll/han runs inside (--extend"));
  EXPECT_TRUE(has_line(said("open-mpi-classic-5.0"), left + " (--extend"));
}

}  // namespace
}  // namespace tutti
