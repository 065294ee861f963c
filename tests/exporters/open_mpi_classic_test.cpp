#include <gtest/gtest.h>

#include <fstream>

#include "algos/registry.hpp"
#include "base/error.hpp"
#include "exporters/open_mpi_collectives.hpp"
#include "exporters/open_mpi_rules.hpp"
#include "selection/baselines.hpp"
#include "selection/export.hpp"
#include "selection/own_parts.hpp"
#include "selection/pricing.hpp"
#include "tests/exporters/classic_rules.hpp"

namespace tutti {
namespace {

using test::choice_of;
using test::Message;
using test::read_rules;
using test::Rules;

/// The library's own choices take `own_us`.
Cell classic_cell(Collective collective, int nodes, int ppn, std::int64_t bytes, std::map<std::string, double> us,
                  double own_us = 100) {
  for (auto& [name, value] : us) value *= 1e-6;
  return {{collective, nodes, ppn},
          bytes,
          std::move(us),
          {{"open-mpi-4.1", 1e-6 * own_us}, {"open-mpi-5.0-without-han", 1e-6 * own_us}}};
}

Table table_of(std::vector<Cell> cells) {
  Table table;
  table.machine = "a-machine";
  table.engine = "simgrid";
  table.mode = "isolated";
  table.placement = "block";
  table.cells = std::move(cells);
  derive_rules(table);
  return table;
}

Table sample() {
  using enum Collective;
  return table_of({
      classic_cell(bcast, 4, 1, 8, {{"binomial", 1}, {"pipeline:segment=4096", 2}, {"knomial:radix=8", 9}}),
      classic_cell(bcast, 4, 1, 8192,
                   {{"binomial", 9}, {"pipeline:segment=4096", 2}, {"chain:fanout=2:segment=65536", 3}}),
      classic_cell(bcast, 4, 1, 1 << 20, {{"binomial", 99}, {"chain:fanout=2:segment=65536", 3}}),
      classic_cell(bcast, 7, 1, 8, {{"linear", 1}, {"binomial", 2}}),
      classic_cell(allgather, 2, 2, 4000, {{"ring", 5}, {"bruck", 1}}),
      classic_cell(allgather, 2, 2, 8000, {{"ring", 1}, {"bruck", 5}}),
      classic_cell(barrier, 4, 1, 0, {{"bruck", 1}, {"linear", 2}}),
      classic_cell(scan, 4, 1, 8, {{"linear", 1}, {"recursive_doubling", 1.1}}),
      classic_cell(scan, 4, 1, 1024, {{"linear", 8}, {"recursive_doubling", 1}}),
      classic_cell(allreduce, 4, 1, 8, {{"recexch", 1}, {"ring", 7}}),  // no such algorithm in Open MPI
      classic_cell(allreduce, 4, 1, 1024, {{"recexch", 1}, {"recursive_doubling", 3}, {"ring", 2}}),
      classic_cell(alltoall, 4, 1, 8, {{"k_bruck:radix=3", 1}}),  // nor here, and nothing else
      classic_cell(reduce, 4, 1, 8, {{"binomial", 2}, {"linear", 3}}, 2.5),
      classic_cell(reduce, 4, 1, 1024, {{"binomial", 20}, {"linear", 30}}, 19),
  });
}

Exported exported_classic(const ExportOptions& options = {}, const std::string& target = "open-mpi-classic") {
  return export_table(sample(), find_exporter(target), options);
}

int id_of(Collective collective, const char* name, const char* version = "4.1") {
  return std::stoi(names_in("Open MPI", find_algorithm(collective, name)).at(version));
}

constexpr int kAllgatherNumber = 0, kAllreduce = 2, kAlltoall = 3, kBarrierNumber = 6, kBcastNumber = 7, kReduce = 11,
              kScanNumber = 14;
constexpr Message kLibrary{0, 0, 0, 0};

TEST(OpenMpiClassic, WritesTheGoldenFile) {
  const std::string path = TUTTI_SOURCE_DIR "/tests/exporters/open_mpi_classic.rules";
  std::ifstream file(path);
  const std::string golden{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(exported_classic().text, golden) << "differs from " << path;
}

TEST(OpenMpiClassic, IdsAreThoseOfTheLibrary) {
  // coll_tuned of Open MPI 4.1: coll_tuned_bcast_algorithm and so on, by mpirun's help.
  const Rules rules = read_rules(exported_classic().text);
  EXPECT_EQ(choice_of(rules, kBcastNumber, 4, 8), (Message{6, 6, 0, 0}));
  EXPECT_EQ(choice_of(rules, kBcastNumber, 4, 8192), (Message{8192, 3, 0, 4096}));
  EXPECT_EQ(choice_of(rules, kBcastNumber, 4, 1 << 20), (Message{1 << 20, 2, 2, 65536}));
  EXPECT_EQ(choice_of(rules, kAllgatherNumber, 4, 8000).algorithm, 4);
  EXPECT_EQ(choice_of(rules, kBarrierNumber, 4, 0).algorithm, 4);
}

TEST(OpenMpiClassic, SizesAreTotalBytesSoThatThresholdsFallWhereTheTableHasThem) {
  const Rules rules = read_rules(exported_classic().text);
  EXPECT_EQ(choice_of(rules, kBcastNumber, 4, 8191).algorithm, id_of(Collective::bcast, "binomial"));
  EXPECT_EQ(choice_of(rules, kBcastNumber, 4, 8192).algorithm, id_of(Collective::bcast, "pipeline"));
  // Of an allgather, what is received in all: 2000 bytes from each of 4 ranks.
  EXPECT_EQ(choice_of(rules, kAllgatherNumber, 4, 7999).algorithm, id_of(Collective::allgather, "bruck"));
  EXPECT_EQ(choice_of(rules, kAllgatherNumber, 4, 8000).algorithm, id_of(Collective::allgather, "ring"));
}

TEST(OpenMpiClassic, WhatIsMadeOfOtherCollectivesRunsWhatTheFileSaysOfThose) {
  const auto runs = [](Collective collective, int ranks, std::int64_t bytes, const std::string& text) {
    Case c{.collective = collective, .ranks = ranks, .element_bytes = is_reduction(collective) ? 4 : 1};
    c.count = count_for_total_bytes(collective, ranks, c.element_bytes, bytes);
    const auto file = find_exporter("open-mpi-classic").read(text, "x.rules");
    const auto said = file->choice(c, evenly(1, ranks));
    return said ? said->text()
                : file->under_file(pick(find_baseline("open-mpi-4.1"), c, evenly(1, ranks)).choice, c, evenly(1, ranks),
                                   nullptr)
                      .text();
  };
  const std::string of_allreduce = "2 1 0 1 0 2 0 0\n", of_bcast = "7 1 0 1 0 1 0 0\n",
                    of_reduce = "11 1 0 1 0 1 0 0\n";
  EXPECT_EQ(runs(Collective::allreduce, 8, 1 << 20, "3\n" + of_allreduce + of_bcast + of_reduce),
            "reduce_bcast:reduce=1:bcast=1");
  EXPECT_EQ(runs(Collective::allreduce, 8, 1 << 20, "1\n" + of_allreduce), "reduce_bcast:bcast=1") << "as it chooses";
  EXPECT_EQ(runs(Collective::allgather, 8, 8 << 10, "1\n0 1 0 1 0 1 0 0\n"), "linear:gather=2:bcast=5");
  EXPECT_EQ(runs(Collective::allreduce, 200, 1024, "1\n" + of_bcast), "reduce_bcast:bcast=1")
      << "the library's own choice, too";
  const auto of_5 = [](const char* form, const std::string& text, bool in_place, Collective collective) {
    Case c{.collective = collective, .ranks = 8, .element_bytes = 4, .in_place = in_place};
    c.count = count_for_total_bytes(collective, 8, 4, 1 << 20);
    const auto said =
        choice_under(*find_exporter(form).read(text, "x"), c, evenly(8, 8), &find_baseline("open-mpi-5.0-without-han"));
    return said ? said->text() : "its own choice";
  };
  const std::string json = R"({"rule_file_version": 3, "module": "tuned", "collectives": {
    "allreduce": [{"rules": [{"alg": 2}]}], "bcast": [{"rules": [{"alg": 1}]}], "alltoall": [{"rules": [{"alg": 3}]}]}})";
  EXPECT_EQ(of_5("open-mpi-json", json, false, Collective::allreduce), "reduce_bcast:bcast=1");
  EXPECT_EQ(of_5("open-mpi-json", json, false, Collective::alltoall), "bruck");
  EXPECT_EQ(of_5("open-mpi-json", json, true, Collective::alltoall), "its own choice") << "in place";
  EXPECT_EQ(of_5("open-mpi-classic-5.0", "1\n3 1 0 1 0 3 0 0\n", true, Collective::alltoall), "its own choice");
  const Choice by_parts = parse_choice(Collective::allreduce, "reduce_bcast");
  EXPECT_FALSE(find_exporter("open-mpi-classic").can_say(by_parts)) << "it cannot be told of which parts";
}

TEST(OpenMpiClassic, ProcessCountsThatWereNotTunedAreLeftToTheLibrary) {
  const Rules rules = read_rules(exported_classic().text);
  for (const int ranks : {1, 2, 3, 5, 6, 8, 1000})
    EXPECT_EQ(choice_of(rules, kBcastNumber, ranks, 8), kLibrary) << ranks << " ranks";
  EXPECT_NE(choice_of(rules, kBcastNumber, 7, 8), kLibrary);
}

TEST(OpenMpiClassic, NumbersOfRanksBetweenTwoThatWereTunedHaveWhatLosesLeastAtBoth) {
  using enum Collective;
  // On 8 ranks the pipeline is a bit faster, on 16 the chain by far; recursive doubling of 9 ranks is something else.
  const Table table = table_of(
      {classic_cell(bcast, 8, 1, 8,
                    {{"pipeline:segment=4096", 1}, {"chain", 1.2}, {"scatter_recursive_doubling", 1.3}}),
       classic_cell(bcast, 16, 1, 8, {{"pipeline:segment=4096", 9}, {"chain", 1}, {"scatter_recursive_doubling", 0.9}}),
       classic_cell(allgather, 8, 1, 8, {{"recursive_doubling", 1}, {"ring", 2}}),
       classic_cell(allgather, 16, 1, 8, {{"recursive_doubling", 1}, {"ring", 2}})});
  ExportOptions options;
  options.extend = true;
  const Exported file = export_table(table, find_exporter("open-mpi-classic"), options);
  const Rules rules = read_rules(file.text);
  EXPECT_EQ(choice_of(rules, kBcastNumber, 8, 8).algorithm, id_of(bcast, "pipeline"));
  for (const int ranks : {9, 15})
    EXPECT_EQ(choice_of(rules, kBcastNumber, ranks, 8).algorithm, id_of(bcast, "chain")) << ranks << " ranks";
  for (const int ranks : {8, 16, 32})
    EXPECT_EQ(choice_of(rules, kAllgatherNumber, ranks, 8).algorithm, id_of(allgather, "recursive_doubling"));
  for (const int ranks : {9, 15})
    EXPECT_EQ(choice_of(rules, kAllgatherNumber, ranks, 8).algorithm, id_of(allgather, "ring"));
  EXPECT_NE(file.text.find("9  # ranks to 15, none of them tuned"), std::string::npos);
  EXPECT_NE(file.text.find("have what loses least at these two"), std::string::npos);
}

TEST(OpenMpiClassic, WhatRunsOnTwoRanksAloneIsNeverSaidOfMore) {
  using enum Collective;
  const Table table = table_of({classic_cell(alltoall, 2, 1, 8, {{"two_proc", 1}, {"bruck", 2}, {"linear", 3}}),
                                classic_cell(allgather, 2, 1, 8, {{"two_proc", 1}})});
  ExportOptions options;
  options.extend = true;
  const Rules rules = read_rules(export_table(table, find_exporter("open-mpi-classic"), options).text);
  constexpr int kAlltoallNumber = 3;
  EXPECT_EQ(choice_of(rules, kAlltoallNumber, 2, 8).algorithm, id_of(alltoall, "two_proc"));
  for (const int ranks : {3, 64}) {
    EXPECT_EQ(choice_of(rules, kAlltoallNumber, ranks, 8).algorithm, id_of(alltoall, "bruck")) << ranks;
    EXPECT_EQ(choice_of(rules, kAllgatherNumber, ranks, 8), kLibrary) << ranks;
  }
}

TEST(OpenMpiClassic, ExtendedProcessCountsThatLoseNothingFollowTheNextSmallerTunedOne) {
  ExportOptions options;
  options.extend = true;
  const Rules rules = read_rules(exported_classic(options).text);
  for (const int ranks : {1, 2, 3}) EXPECT_EQ(choice_of(rules, kBcastNumber, ranks, 8), kLibrary) << ranks << " ranks";
  for (const int ranks : {4, 5, 6})
    EXPECT_EQ(choice_of(rules, kBcastNumber, ranks, 8).algorithm, id_of(Collective::bcast, "binomial"))
        << ranks << " ranks";
  for (const int ranks : {7, 8, 1000})
    EXPECT_EQ(choice_of(rules, kBcastNumber, ranks, 8).algorithm, id_of(Collective::bcast, "linear"))
        << ranks << " ranks";
}

TEST(OpenMpiClassic, ScansHaveOneRuleAsTheLibraryCannotTellTheirSizes) {
  const Exported file = exported_classic();
  const Rules rules = read_rules(file.text);
  ASSERT_EQ(rules.at(kScanNumber).at(4).size(), 1u);
  // 10 % behind at one size is better than eight times at the other.
  EXPECT_EQ(rules.at(kScanNumber).at(4).front().algorithm, id_of(Collective::scan, "recursive_doubling"));
  ASSERT_EQ(file.priced.remarks.size(), 1u);
  EXPECT_TRUE(file.priced.remarks.front().starts_with("scan: "));
}

TEST(OpenMpiClassic, WhatIsSlowerThanTheLibrarysOwnChoiceIsLeftToIt) {
  const Rules rules = read_rules(exported_classic().text);
  EXPECT_EQ(choice_of(rules, kReduce, 4, 1023).algorithm, id_of(Collective::reduce, "binomial"));
  EXPECT_EQ(choice_of(rules, kReduce, 4, 1024), (Message{1024, 0, 0, 0}));
}

TEST(OpenMpiClassic, AScanThatLosesAtOneSizeIsLeftToTheLibraryAtAll) {
  using enum Collective;
  const Table table = table_of({classic_cell(scan, 4, 1, 8, {{"linear", 1}, {"recursive_doubling", 1.1}}, 1.05),
                                classic_cell(scan, 4, 1, 1024, {{"linear", 8}, {"recursive_doubling", 1}}, 4)});
  const Exported file = export_table(table, find_exporter("open-mpi-classic"), {});
  EXPECT_EQ(choice_of(read_rules(file.text), kScanNumber, 4, 8), kLibrary);
  EXPECT_EQ(file.priced.all.own_for_sizes, 2u);
}

TEST(OpenMpiClassic, WhatTheLibraryLacksIsLeftOut) {
  const Rules rules = read_rules(exported_classic().text);
  EXPECT_EQ(choice_of(rules, kAlltoall, 4, 8), kLibrary);
  for (const std::int64_t bytes : {8, 1024})
    EXPECT_EQ(choice_of(rules, kAllreduce, 4, bytes).algorithm, id_of(Collective::allreduce, "ring"));
}

TEST(OpenMpiClassic, ARadixThatTheFileCannotHoldIsLeftOut) {
  const Table table =
      table_of({classic_cell(Collective::bcast, 4, 1, 8, {{"knomial:radix=8", 1}, {"knomial", 3}, {"binomial", 9}})});
  const Exported file = export_table(table, find_exporter("open-mpi-classic-5.0"), {});
  EXPECT_EQ(choice_of(read_rules(file.text), kBcastNumber, 4, 8).algorithm, id_of(Collective::bcast, "knomial", "5.0"));
  EXPECT_EQ(file.text.find("# knomial:radix"), std::string::npos);
}

TEST(OpenMpiClassic, LayoutsOfAsManyRanksShareOneChoiceThatIsBadInNone) {
  const Table table =
      table_of({classic_cell(Collective::bcast, 4, 2, 8, {{"linear", 1}, {"binomial", 1.2}, {"chain", 4}}),
                classic_cell(Collective::bcast, 8, 1, 8, {{"linear", 50}, {"binomial", 11}, {"chain", 10}})});
  const auto choice = [&](const ExportOptions& options) {
    const Exported file = export_table(table, find_exporter("open-mpi-classic"), options);
    return choice_of(read_rules(file.text), kBcastNumber, 8, 8).algorithm;
  };
  EXPECT_EQ(choice({}), id_of(Collective::bcast, "binomial"));
  EXPECT_EQ(choice({2, false}), id_of(Collective::bcast, "linear"));
  EXPECT_EQ(choice({1, false}), id_of(Collective::bcast, "chain"));
  EXPECT_THROW(choice({3, false}), InputError);
}

TEST(OpenMpiClassic, ATableWithNothingToExportIsRefused) {
  EXPECT_THROW(export_table(table_of({}), find_exporter("open-mpi-classic"), {}), InputError);
}

TEST(OpenMpiRules, AreReadAsTheLibraryReadsThem) {
  const std::string text = exported_classic().text;
  const Rules expected = read_rules(text);
  const OpenMpiRules rules(text, "it", find_library("open-mpi-4.1"));
  std::size_t said = 0;
  for (int id = 0; id < kCollectives; ++id)
    for (int ranks = 1; ranks < 12; ++ranks)
      for (const Count count : {0, 1, 8, 1023, 1024, 8191, 8192, 1 << 20, 1 << 22}) {
        Case c;
        c.collective = static_cast<Collective>(id);
        c.ranks = ranks;
        c.count = c.collective == Collective::barrier ? 0 : count;
        const bool has_size = c.collective != Collective::scan && c.collective != Collective::exscan;
        const Message wanted = expected.contains(open_mpi_id(c.collective))
                                   ? choice_of(expected, open_mpi_id(c.collective), ranks,
                                               has_size ? total_bytes(c) : std::int64_t{c.ranks} * c.element_bytes)
                                   : kLibrary;
        const OpenMpiSetting found = rules.look_up(c).setting;
        EXPECT_EQ(found, (OpenMpiSetting{static_cast<int>(wanted.algorithm), wanted.fanout, wanted.segment}))
            << name_of(c.collective) << " " << ranks << " " << count;
        said += found.algorithm != 0;
      }
  EXPECT_GT(said, 30u);
}

TEST(OpenMpiRules, ALineNamesTheChoiceThatItWasWrittenFor) {
  std::size_t choices = 0;
  for (const Algorithm& algorithm : registry())
    for (const Library* library : {&find_library("open-mpi-4.1"), &find_library("open-mpi-5.0")}) {
      Choice choice = default_choice(algorithm);
      for (auto& [name, value] : choice.parameters)
        if (name == "segment" || name == "fanout") value += 3;
      if (const auto setting = open_mpi_setting(choice, *library)) {
        EXPECT_EQ(open_mpi_choice(algorithm.collective(), *setting, *library), choice) << choice.text();
        ++choices;
      }
    }
  EXPECT_GT(choices, 100u);
}

TEST(OpenMpiRules, ThatAreNoneAreRefusedWithTheirLine) {
  const auto refusal = [](const std::string& text, const char* library = "open-mpi-4.1") {
    try {
      OpenMpiRules(text, "it", find_library(library));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string good = "1 # collective\n7\n1\n2\n2\n0 1 0 0\n9 2 0 0\n";
  EXPECT_EQ(refusal(good), "");
  EXPECT_EQ(refusal(""), "it:1: expected the number of collectives, a whole number from 0 on");
  EXPECT_EQ(refusal(good.substr(0, good.size() - 3)), "it:7: expected a segment, a whole number from 0 on");
  EXPECT_EQ(refusal(good + "8"), "it:8: expected the end of the file");
  EXPECT_EQ(refusal("1\n7\n1\n2\n1\n64K 3 0 0\n"), "it:6: expected a message size, a whole number from 0 on");
  EXPECT_EQ(refusal("0\n"), "");
  EXPECT_EQ(refusal("1\n7\n0\n"), "");
  EXPECT_EQ(refusal("1\n7\n1\n2\n0\n"), "");
  const std::string second = "rule-file-version-2\n1\n3\n1\n2\n2\n0 4 0 0 0\n9 2 0 0\n";
  EXPECT_EQ(refusal(second, "open-mpi-5.0"), "");
  EXPECT_EQ(refusal(second), "it:1: expected the number of collectives, a whole number from 0 on");
  EXPECT_TRUE(refusal("rule-file-version-2\n1\n3\n1\n2\n1\n0 4 0 0 5\n", "open-mpi-5.0")
                  .starts_with("it:7: expected 0 requests at the most"));
  EXPECT_EQ(refusal("1\n99\n"), "it:2: expected the id of a collective, each once");
  EXPECT_EQ(refusal("1\n07\n"), "it:2: expected the id of a collective, a whole number from 0 on");
  EXPECT_EQ(refusal("1\n7\n1\n2\n1\n0 5 0 2147483647\n"), "");
  EXPECT_EQ(refusal("1\n7\n1\n2\n1\n0 5 0 2147483648\n"), "it:6: expected a segment of at most 2147483647");
  EXPECT_EQ(refusal("1\n7\n1\n2\n1\n0 4 2147483648 0\n"), "it:6: expected a fan-out of at most 2147483647");
  EXPECT_EQ(refusal("1\n7\n1\n2\n1\n5 1 0 0\n"), "it:6: expected message sizes from 0 on, in ascending order");
  EXPECT_EQ(refusal("1\n7\n1\n2\n2\n0 1 0 0\n0 1 0 0\n"), "it:7: expected message sizes from 0 on, in ascending order");
  EXPECT_EQ(refusal("1\n7\n2\n2\n1\n0 1 0 0\n2\n"), "it:7: expected communicator sizes in ascending order");
}

TEST(Exporters, AreFoundByNameAndAnUnknownOneIsRefusedWithTheKnownOnes) {
  for (const Exporter* exporter : exporters()) {
    EXPECT_EQ(&find_exporter(exporter->name()), exporter);
    EXPECT_FALSE(exporter->description().empty());
  }
  try {
    find_exporter("my-mpi");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("open-mpi-classic"), std::string::npos);
  }
}

}  // namespace
}  // namespace tutti
