#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "exporters/open_mpi_han.hpp"
#include "exporters/open_mpi_tuned_picks.hpp"
#include "selection/baselines.hpp"
#include "selection/candidates.hpp"
#include "selection/pricing.hpp"
#include "tests/exporters/classic_rules.hpp"

/// The files that Open MPI 5.0 needs where coll/han comes before coll/tuned.
namespace tutti {
namespace {

Cell cell_of(Collective collective, int nodes, int ppn, std::int64_t bytes, std::map<std::string, double> us,
             double own) {
  for (auto& [name, value] : us) value *= 1e-6;
  return {{collective, nodes, ppn}, bytes, std::move(us), {{"open-mpi-5.0", 1e-6 * own}}};
}

Exported exported_cells(std::vector<Cell> cells) {
  Table table;
  table.machine = "a-machine", table.engine = "fast", table.mode = "isolated", table.placement = "block";
  table.cells = std::move(cells);
  derive_rules(table);
  return export_table(table, find_exporter("open-mpi"), {});
}

std::string said_by_file(const Exported& file, Collective collective, int nodes, int ppn, std::int64_t bytes) {
  const auto found = find_exporter("open-mpi")
                         .read(file.text, "it")
                         ->choice(case_for({collective, nodes, ppn}, bytes), {nodes, ppn, ppn});
  return found ? found->text() : "";
}

std::string beside(const Exported& file, const std::string& end) {
  for (const auto& [name, text] : find_exporter("open-mpi").beside(file.text, "/some/where/t.rules"))
    if (name == end) return text;
  return "";
}

TEST(OpenMpiFiles, LeaveToTunedWhatTheyNameAndKeepHanElsewhere) {
  const Exported file = exported_cells({cell_of(Collective::bcast, 4, 2, 64, {{"linear", 1}}, 9),
                                        cell_of(Collective::bcast, 4, 2, 4096, {{"linear", 10}}, 9),
                                        cell_of(Collective::bcast, 8, 2, 64, {{"binomial", 1}}, 9)});
  EXPECT_EQ(said_by_file(file, Collective::bcast, 4, 2, 64), "linear");
  EXPECT_EQ(said_by_file(file, Collective::bcast, 4, 2, 4096), "") << "coll/han is faster";
  EXPECT_EQ(said_by_file(file, Collective::bcast, 8, 2, 64), "binomial");
  EXPECT_EQ(said_by_file(file, Collective::bcast, 5, 2, 64), "") << "ten ranks: nobody asked";
  EXPECT_EQ(
      beside(file, ".han"),
      "# Tutti: made of t.rules\n1  # collectives\nbcast\n1  # level\nglobal_communicator\n5  # communicator sizes\n"
      "1  # ranks\n1  # message sizes\n0 han\n8  # ranks\n3  # message sizes\n0 han\n48 tuned\n4096 han\n"
      "9  # ranks\n1  # message sizes\n0 han\n16  # ranks\n3  # message sizes\n0 han\n48 tuned\n96 han\n"
      "17  # ranks\n1  # message sizes\n0 han\n");
  EXPECT_EQ(beside(file, ".conf"),
            "# Tutti: for etc/openmpi-mca-params.conf or ~/.openmpi/mca-params.conf\n"
            "coll_tuned_use_dynamic_rules = 1\ncoll_tuned_dynamic_rules_filename = /some/where/t.rules\n"
            "coll_han_use_dynamic_file_rules = 1\ncoll_han_dynamic_rules_filename = /some/where/t.rules.han\n");
}

TEST(OpenMpiFiles, CountBlocksForHanAndAllOfThemForTuned) {
  const Exported file = exported_cells({cell_of(Collective::allgather, 4, 2, 8, {{"ring", 1}}, 9),
                                        cell_of(Collective::allgather, 4, 2, 8000, {{"ring", 10}}, 9)});
  EXPECT_NE(beside(file, ".han").find("\n0 han\n1 tuned\n1000 han\n"), std::string::npos);
  EXPECT_EQ(said_by_file(file, Collective::allgather, 4, 2, 7992), "ring");
  EXPECT_EQ(said_by_file(file, Collective::allgather, 4, 2, 8000), "");
}

TEST(OpenMpiFiles, WhatHanNeedsInsideStaysAsItIs) {
  // On 4 x 2 coll/han is kept: then nothing may be said of broadcasts to four ranks of up to a segment, which it makes.
  const std::vector<Cell> small{cell_of(Collective::bcast, 4, 1, 64, {{"linear", 1}}, 9),
                                cell_of(Collective::bcast, 4, 1, 1 << 20, {{"pipeline", 1}}, 9)};
  EXPECT_EQ(said_by_file(exported_cells(small), Collective::bcast, 4, 1, 64), "linear");
  std::vector<Cell> both = small;
  both.push_back(cell_of(Collective::bcast, 4, 2, 64, {{"linear", 10}}, 9));
  const Exported file = exported_cells(both);
  EXPECT_EQ(said_by_file(file, Collective::bcast, 4, 1, 64), "");
  EXPECT_EQ(said_by_file(file, Collective::bcast, 4, 1, 65536), "linear") << "of coll/han nobody tuned that size";
  EXPECT_EQ(said_by_file(file, Collective::bcast, 4, 1, 1 << 20), "pipeline") << "no segment is as long";
  EXPECT_EQ(said_by_file(file, Collective::bcast, 4, 2, 64), "");
  const Price& price = file.priced.all;
  EXPECT_EQ(price.own_for_sizes + price.own_for_layouts, 0u) << "nothing else is the reason";
  EXPECT_EQ(std::pair(price.own_for_inside, price.giving_up.cells), (std::pair<std::size_t, std::size_t>(1, 1)));
  EXPECT_DOUBLE_EQ(price.giving_up.times_as_long, 9);
  EXPECT_EQ(price.merging.cells, 0u);
  EXPECT_NE(file.text.find("#   given up for what coll/han runs inside: 1 cell takes 9 times as long\n"),
            std::string::npos);
  EXPECT_NE(file.text.find(", 1 where a rule would change what coll/han runs inside\n"), std::string::npos)
      << file.text;
  both.back() = cell_of(Collective::bcast, 4, 2, 64, {{"linear", 1}}, 9);
  EXPECT_EQ(said_by_file(exported_cells(both), Collective::bcast, 4, 1, 64), "linear") << "coll/han does not run";
}

TEST(OpenMpiFiles, HaveHanRunItsSimpleVariantOfThePartsThatAreFastest) {
  const std::string simple = "han_simple:low=1:up=1";
  const Exported file = exported_cells({cell_of(Collective::reduce, 3, 2, 60, {{simple, 1}, {"binomial", 2}}, 9),
                                        cell_of(Collective::reduce, 3, 2, 6000, {{simple, 2}, {"binomial", 1}}, 9),
                                        cell_of(Collective::reduce, 5, 2, 60, {{simple, 1}, {"binomial", 2}}, 9),
                                        cell_of(Collective::reduce, 5, 2, 6000, {{simple, 10}, {"binomial", 10}}, 9)});
  EXPECT_NE(beside(file, ".han").find("\n6  # ranks\n4  # message sizes\n0 han\n45 han @simple\n6000 tuned\n"),
            std::string::npos)
      << beside(file, ".han");
  EXPECT_EQ(said_by_file(file, Collective::reduce, 3, 2, 60), simple);
  EXPECT_EQ(said_by_file(file, Collective::reduce, 3, 2, 6000), "binomial");
  EXPECT_EQ(said_by_file(file, Collective::reduce, 5, 2, 60), simple);
  EXPECT_EQ(said_by_file(file, Collective::reduce, 5, 2, 6000), "") << "what coll/han does by itself is faster";
  EXPECT_EQ(said_by_file(file, Collective::reduce, 6, 1, 60), "") << "coll/han does not serve it";
  EXPECT_EQ(said_by_file(file, Collective::reduce, 1, 3, 60), "linear") << "as many ranks as there are nodes";
  EXPECT_EQ(beside(file, ".han").find("\n3  # ranks"), std::string::npos) << "three ranks are no call of the table's";
  EXPECT_EQ(file.priced.out_of_order, std::vector<Collective>{Collective::reduce}) << "binomial";
  EXPECT_DOUBLE_EQ(file.priced.all.gains.file, std::pow(9 * 9 * 9, 0.25));
}

TEST(OpenMpiFiles, HansSimpleVariantGivesWayWhereItsPartsAreInTheWay) {
  const std::string simple = "han_simple:low=1:up=1", other = "han_simple:low=5:up=1";
  const Cell here = cell_of(Collective::reduce, 4, 2, 64, {{simple, 1}, {"binomial", 2}}, 9);
  const auto said = [&](const std::vector<Cell>& cells, int nodes, int ppn) {
    return said_by_file(exported_cells(cells), Collective::reduce, nodes, ppn, 64);
  };
  ASSERT_EQ(said({here}, 4, 2), simple);
  const Cell on_four = cell_of(Collective::reduce, 4, 1, 64, {{"binomial", 1}}, 9);
  EXPECT_EQ(said({on_four, here}, 4, 2), "binomial") << "between nodes it would run a binomial one";
  EXPECT_EQ(said({on_four, here}, 4, 1), "binomial");
  const Cell linear = cell_of(Collective::reduce, 4, 1, 64, {{"linear", 1}}, 9);
  EXPECT_EQ(said({linear, here}, 4, 2), simple) << "they say the same";
  const Cell own = cell_of(Collective::reduce, 3, 2, 64, {{"linear", 10}}, 9);
  ASSERT_EQ(tuned_pick(case_for({Collective::reduce, 1, 2}, 64)).text(), "linear");
  EXPECT_EQ(said({own, here}, 4, 2), simple) << "on 3 x 2 coll/han needs what coll/tuned picks for two ranks, as this";
  EXPECT_EQ(said({own, cell_of(Collective::reduce, 4, 2, 64, {{other, 1}, {"binomial", 2}}, 9)}, 4, 2), "binomial");
  const Cell two = cell_of(Collective::reduce, 5, 2, 64, {{simple, 1}, {"binomial", 2}}, 9),
             three = cell_of(Collective::reduce, 6, 2, 64, {{other, 1}, {"binomial", 2}}, 9);
  EXPECT_EQ(said({here, two, three}, 4, 2), simple);
  EXPECT_EQ(said({here, two, three}, 5, 2), simple);
  EXPECT_EQ(said({here, two, three}, 6, 2), "binomial") << "two layouts say one thing of two ranks, one another";
}

TEST(OpenMpiFiles, WithRulesInsideHanIsAnotherAlgorithm) {
  const auto file =
      find_exporter("open-mpi").read("1\n7\n1\n4\n1\n0 1 0 0\n", "it");  // broadcasts to four and more: linear
  const Case c = case_for({Collective::bcast, 4, 2}, 64);
  EXPECT_EQ(file->choice(c, evenly(8, c.ranks))->text(), "linear");
  EXPECT_EQ(file->choice(c, evenly(4, c.ranks))->algorithm->name(), "han");
  EXPECT_EQ(*Parameters(file->choice(c, evenly(4, c.ranks))->parameters).find("up"), 1);
}

TEST(OpenMpiHanAlone, NamesTunedExactlyWhereItsBuiltInRulesPickWhatIsBest) {
  const Exporter& exporter = find_exporter("open-mpi-han");
  const Baseline& tuned = find_baseline("open-mpi-5.0-without-han");
  const auto picked = [&](std::int64_t bytes) {
    return pick(tuned, case_for({Collective::bcast, 4, 2}, bytes), {4, 2, 2}).choice.text();
  };
  std::int64_t end = 2;  // where it changes first
  while (picked(end) == picked(1)) ++end;
  Table table;
  table.machine = "a-machine", table.engine = "fast", table.mode = "isolated", table.placement = "block";
  table.cells = {cell_of(Collective::bcast, 4, 2, 1, {{picked(1), 1}}, 9),
                 cell_of(Collective::bcast, 4, 2, 4 * end, {{picked(1), 1}}, 9)};
  derive_rules(table);
  const auto file = exporter.read(export_table(table, exporter, {}).text, "it");
  const auto runs = [&](int nodes, int ppn, std::int64_t bytes) {
    const auto found = file->choice(case_for({Collective::bcast, nodes, ppn}, bytes), {nodes, ppn, ppn});
    return found ? found->text() : "";
  };
  EXPECT_EQ(runs(4, 2, end - 1), picked(1));
  EXPECT_EQ(runs(4, 2, end), "") << "coll/tuned would run another there";
  EXPECT_EQ(runs(4, 2, 4 * end), "");
  EXPECT_EQ(runs(8, 1, 1), "") << "coll/han does not serve it";
  EXPECT_EQ(runs(3, 2, 1), "") << "six ranks: nobody asked";
  EXPECT_FALSE(exporter.can_say(parse_choice(Collective::alltoall, "pairwise"))) << "coll/han does not serve it";
}

}  // namespace
}  // namespace tutti
