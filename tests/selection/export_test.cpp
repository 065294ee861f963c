#include "selection/export.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "algos/error.hpp"
#include "algos/registry.hpp"

namespace tutti {
namespace {

/// What Open MPI's reader makes of a rules file: numbers between white space, comments from # to the line's end.
struct Message {
  std::int64_t from_bytes, algorithm, fanout, segment;
  friend bool operator==(const Message&, const Message&) = default;
};
using Rules = std::map<int, std::map<std::int64_t, std::vector<Message>>>;  // collective, ranks

struct Reader {
  explicit Reader(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) numbers << line.substr(0, line.find('#')) << '\n';
  }
  std::int64_t next() {
    std::string word;
    if (!(numbers >> word)) throw std::runtime_error("the file ends too early");
    if (word != "0" && (word[0] == '0' || word.find_first_not_of("0123456789") != std::string::npos))
      throw std::runtime_error("not a plain decimal number: " + word);
    return std::stoll(word);
  }
  std::stringstream numbers;
};

Rules read_rules(const std::string& text) {
  Reader reader(text);
  Rules rules;
  for (auto collectives = reader.next(); collectives > 0; --collectives) {
    auto& of_collective = rules[static_cast<int>(reader.next())];
    EXPECT_TRUE(of_collective.empty()) << "a collective comes twice";
    std::int64_t before = -1;
    for (auto sizes = reader.next(); sizes > 0; --sizes) {
      const std::int64_t ranks = reader.next();
      EXPECT_GT(ranks, before) << "communicator sizes ascend";
      before = ranks;
      auto& messages = of_collective[ranks];
      for (auto count = reader.next(); count > 0; --count)
        messages.push_back({reader.next(), reader.next(), reader.next(), reader.next()});
      EXPECT_FALSE(messages.empty());
      if (messages.empty()) continue;
      EXPECT_EQ(messages.front().from_bytes, 0);
      for (std::size_t i = 1; i < messages.size(); ++i)
        EXPECT_GT(messages[i].from_bytes, messages[i - 1].from_bytes) << "message sizes ascend";
    }
  }
  std::string rest;
  EXPECT_FALSE(reader.numbers >> rest) << "more than the counts say: " << rest;
  return rules;
}

/// The largest communicator size and message size not above the call's, but never before the first.
Message choice_of(const Rules& rules, int collective, std::int64_t ranks, std::int64_t bytes) {
  const auto& sizes = rules.at(collective);
  auto size = sizes.upper_bound(ranks);
  if (size != sizes.begin()) --size;
  Message chosen = size->second.front();
  for (const Message& message : size->second)
    if (message.from_bytes <= bytes) chosen = message;
  return chosen;
}

Cell cell(Collective collective, int nodes, int ppn, std::int64_t bytes, std::map<std::string, double> us) {
  for (auto& [name, value] : us) value *= 1e-6;
  return {{collective, nodes, ppn}, bytes, std::move(us)};
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
      cell(bcast, 4, 1, 8, {{"binomial", 1}, {"pipeline:segment=4096", 2}, {"knomial:radix=8", 9}}),
      cell(bcast, 4, 1, 8192, {{"binomial", 9}, {"pipeline:segment=4096", 2}, {"chain:fanout=2:segment=65536", 3}}),
      cell(bcast, 4, 1, 1 << 20, {{"binomial", 99}, {"chain:fanout=2:segment=65536", 3}}),
      cell(bcast, 7, 1, 8, {{"linear", 1}, {"binomial", 2}}), cell(allgather, 2, 2, 4000, {{"ring", 5}, {"linear", 1}}),
      cell(allgather, 2, 2, 8000, {{"ring", 1}, {"linear", 5}}), cell(barrier, 4, 1, 0, {{"bruck", 1}, {"linear", 2}}),
      cell(scan, 4, 1, 8, {{"linear", 1}, {"recursive_doubling", 1.1}}),
      cell(scan, 4, 1, 1024, {{"linear", 8}, {"recursive_doubling", 1}}),
      cell(allreduce, 4, 1, 8, {{"recexch", 1}, {"ring", 7}}),  // no such algorithm in Open MPI
      cell(allreduce, 4, 1, 1024, {{"recexch", 1}, {"recursive_doubling", 3}, {"ring", 2}}),
      cell(alltoall, 4, 1, 8, {{"k_bruck:radix=3", 1}}),  // nor here, and nothing else
  });
}

Exported exported(const ExportOptions& options = {}, const std::string& target = "open-mpi-classic") {
  return find_exporter(target).write(sample(), options);
}

int id_of(Collective collective, const char* name, const char* version = "4.1") {
  return find_algorithm(collective, name).open_mpi().at(version);
}

constexpr int kAllgather = 0, kAllreduce = 2, kAlltoall = 3, kBarrier = 6, kBcast = 7, kScan = 14;
constexpr Message kLibrary{0, 0, 0, 0};

TEST(OpenMpiClassic, WritesTheGoldenFile) {
  const std::string path = TUTTI_SOURCE_DIR "/tests/selection/open_mpi_classic.rules";
  std::ifstream file(path);
  const std::string golden{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(exported().text, golden) << "differs from " << path;
}

TEST(OpenMpiClassic, IdsAreThoseOfTheLibrary) {
  // coll_tuned of Open MPI 4.1: coll_tuned_bcast_algorithm and so on, by mpirun's help.
  const Rules rules = read_rules(exported().text);
  EXPECT_EQ(choice_of(rules, kBcast, 4, 8), (Message{0, 6, 0, 0}));
  EXPECT_EQ(choice_of(rules, kBcast, 4, 8192), (Message{8192, 3, 0, 4096}));
  EXPECT_EQ(choice_of(rules, kBcast, 4, 1 << 20), (Message{1 << 20, 2, 2, 65536}));
  EXPECT_EQ(choice_of(rules, kAllgather, 4, 1 << 20).algorithm, 4);
  EXPECT_EQ(choice_of(rules, kBarrier, 4, 0).algorithm, 4);
}

TEST(OpenMpiClassic, SizesAreTotalBytesSoThatThresholdsFallWhereTheTableHasThem) {
  const Rules rules = read_rules(exported().text);
  EXPECT_EQ(choice_of(rules, kBcast, 4, 8191).algorithm, id_of(Collective::bcast, "binomial"));
  EXPECT_EQ(choice_of(rules, kBcast, 4, 8192).algorithm, id_of(Collective::bcast, "pipeline"));
  // Of an allgather, what is received in all: 2000 bytes from each of 4 ranks.
  EXPECT_EQ(choice_of(rules, kAllgather, 4, 7999).algorithm, id_of(Collective::allgather, "linear"));
  EXPECT_EQ(choice_of(rules, kAllgather, 4, 8000).algorithm, id_of(Collective::allgather, "ring"));
}

TEST(OpenMpiClassic, ProcessCountsThatWereNotTunedAreLeftToTheLibrary) {
  const Rules rules = read_rules(exported().text);
  for (const int ranks : {1, 2, 3, 5, 6, 8, 1000})
    EXPECT_EQ(choice_of(rules, kBcast, ranks, 8), kLibrary) << ranks << " ranks";
  EXPECT_NE(choice_of(rules, kBcast, 7, 8), kLibrary);
}

TEST(OpenMpiClassic, ExtendedProcessCountsFollowTheNextSmallerTunedOne) {
  ExportOptions options;
  options.extend = true;
  const Rules rules = read_rules(exported(options).text);
  for (const int ranks : {1, 2, 3}) EXPECT_EQ(choice_of(rules, kBcast, ranks, 8), kLibrary) << ranks << " ranks";
  for (const int ranks : {4, 5, 6})
    EXPECT_EQ(choice_of(rules, kBcast, ranks, 8).algorithm, id_of(Collective::bcast, "binomial")) << ranks << " ranks";
  for (const int ranks : {7, 8, 1000})
    EXPECT_EQ(choice_of(rules, kBcast, ranks, 8).algorithm, id_of(Collective::bcast, "linear")) << ranks << " ranks";
}

TEST(OpenMpiClassic, ScansHaveOneRuleAsTheLibraryCannotTellTheirSizes) {
  const Exported file = exported();
  const Rules rules = read_rules(file.text);
  ASSERT_EQ(rules.at(kScan).at(4).size(), 1u);
  // 10 % behind at one size is better than eight times at the other.
  EXPECT_EQ(rules.at(kScan).at(4).front().algorithm, id_of(Collective::scan, "recursive_doubling"));
  ASSERT_EQ(file.remarks.size(), 1u);
  EXPECT_TRUE(file.remarks.front().starts_with("scan: "));
}

TEST(OpenMpiClassic, WhatTheLibraryLacksIsLeftOut) {
  const Rules rules = read_rules(exported().text);
  EXPECT_EQ(rules.count(kAlltoall), 0u);
  for (const Message& message : rules.at(kAllreduce).at(4))
    EXPECT_EQ(message.algorithm, id_of(Collective::allreduce, "ring"));
}

TEST(OpenMpiClassic, ARadixThatTheFileCannotHoldIsLeftOut) {
  const Table table =
      table_of({cell(Collective::bcast, 4, 1, 8, {{"knomial:radix=8", 1}, {"knomial", 3}, {"binomial", 9}})});
  const Exported file = find_exporter("open-mpi-classic-5.0").write(table, {});
  EXPECT_EQ(choice_of(read_rules(file.text), kBcast, 4, 8).algorithm, id_of(Collective::bcast, "knomial", "5.0"));
  // 4.1 has the id too or not at all; either way nothing with radix 8 is written.
  EXPECT_EQ(file.text.find("radix"), std::string::npos);
}

TEST(OpenMpiClassic, LayoutsOfAsManyRanksShareOneChoiceThatIsBadInNone) {
  const Table table = table_of({cell(Collective::bcast, 4, 2, 8, {{"linear", 1}, {"binomial", 1.2}, {"chain", 4}}),
                                cell(Collective::bcast, 8, 1, 8, {{"linear", 50}, {"binomial", 11}, {"chain", 10}})});
  const auto choice = [&](const ExportOptions& options) {
    return choice_of(read_rules(find_exporter("open-mpi-classic").write(table, options).text), kBcast, 8, 8).algorithm;
  };
  EXPECT_EQ(choice({}), id_of(Collective::bcast, "binomial"));
  EXPECT_EQ(choice({2, false}), id_of(Collective::bcast, "linear"));
  EXPECT_EQ(choice({1, false}), id_of(Collective::bcast, "chain"));
  EXPECT_THROW(choice({3, false}), InputError);
}

TEST(OpenMpiClassic, ATableWithNothingToExportIsRefused) {
  EXPECT_THROW(find_exporter("open-mpi-classic").write(table_of({}), {}), InputError);
  const Table foreign = table_of({cell(Collective::alltoall, 4, 1, 8, {{"k_bruck:radix=3", 1}})});
  EXPECT_THROW(find_exporter("open-mpi-classic").write(foreign, {}), InputError);
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
