// A tuning file gains what is said, and loses nowhere.
#include "selection/pricing.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "selection/baselines.hpp"
#include "selection/library.hpp"
#include "selection/own_parts.hpp"
#include "selection/tune.hpp"
#include "tests/exporters/classic_rules.hpp"

namespace tutti {
namespace {

using enum Collective;

Cell cell(Collective collective, int nodes, int ppn, std::int64_t bytes, std::map<std::string, double> seconds,
          std::optional<double> own) {
  Cell made{{collective, nodes, ppn}, bytes, std::move(seconds)};
  if (own) made.default_seconds["open-mpi-4.1"] = *own;
  return made;
}

Table table_of(std::vector<Cell> cells) {
  Table table;
  table.machine = "a-machine";
  table.engine = "fast";
  table.mode = "isolated";
  table.placement = "block";
  table.cells = std::move(cells);
  derive_rules(table);
  return table;
}

Exported exported(const Table& table, const ExportOptions& options = {}) {
  return export_table(table, find_exporter("open-mpi-classic"), options);
}

const Price& price_of(const PricedFile& priced, Collective collective) {
  for (const auto& [known, price] : priced.collectives)
    if (known == collective) return price;
  throw std::out_of_range("no such collective was priced");
}

TEST(Pricing, SaysWhatIsSubstitutedMergedLostAndLeft) {
  const Table table = table_of({
      // The best cannot be told.
      cell(allreduce, 4, 1, 8, {{"recexch:radix=4", 1}, {"ring", 2}}, 8),
      cell(allreduce, 4, 1, 64, {{"recexch:radix=4", 1}, {"ring", 4}}, 2),
      // Best for one layout, and slower than the library's own choice for the other.
      cell(bcast, 2, 4, 8, {{"linear", 6}, {"binomial", 8}}, 7),
      cell(bcast, 8, 1, 8, {{"linear", 9}, {"binomial", 4}}, 7),
  });
  const PricedFile priced = exported(table).priced;
  const Price& substituted = price_of(priced, allreduce);
  EXPECT_EQ(substituted.cells, 2u);
  EXPECT_DOUBLE_EQ(substituted.gains.best, 4);     // sqrt(8 * 2)
  EXPECT_DOUBLE_EQ(substituted.gains.sayable, 2);  // sqrt(4 * 1)
  EXPECT_DOUBLE_EQ(substituted.gains.file, 2);
  ASSERT_EQ(substituted.substituted.size(), 2u);
  EXPECT_EQ(substituted.substituted[0].best, "recexch:radix=4");
  EXPECT_EQ(substituted.substituted[0].instead, "");
  EXPECT_DOUBLE_EQ(substituted.substituted[0].loss.times_as_long, 2);
  EXPECT_EQ(substituted.substituted[1].instead, "ring");
  EXPECT_EQ(substituted.substitution.cells, 2u);
  EXPECT_EQ(substituted.own_is_best, 1u);
  const Price& merged = price_of(priced, bcast);
  EXPECT_DOUBLE_EQ(merged.gains.sayable, std::sqrt(7. / 6 * 7 / 4));
  EXPECT_EQ(merged.gains.together, 1);
  EXPECT_EQ(merged.gains.file, 1);
  EXPECT_EQ(merged.own_for_layouts, 2u);
  ASSERT_EQ(merged.shared.size(), 1u);
  EXPECT_EQ(merged.shared[0].layouts, (std::vector<std::pair<int, int>>{{2, 4}, {8, 1}}));
  EXPECT_EQ(merged.shared[0].loss.cells, 2u);
  EXPECT_DOUBLE_EQ(merged.sharing.times_as_long, merged.gains.sayable);
  EXPECT_DOUBLE_EQ(priced.all.gains.file, std::sqrt(2.));
  const std::vector<std::string> said = describe(table, priced, {});
  for (const char* line :
       {"  replaced, because the library cannot be told to use it: 2 cells take 2 times as long: its own choice for "
        "recexch:radix=4 (1), "
        "ring for recexch:radix=4 (1)",
        "  merged, because the format distinguishes only the number of ranks: 2 cells take 1.429 times as long: 2 x 4 "
        "and 8 x 1 (2)",
        "  left to its own choice: 2 cells: 2 where another layout of as many ranks would lose",
        "sizes between two that were tuned have the lower one's rule; those below three quarters of the smallest, and "
        "from one and a half times the largest on, are left to the library (--extend-sizes gives them rules)",
        "gains and losses are those of what was tuned: what rules do to other sizes, numbers of ranks and "
        "communicators "
        "is not priced (tutti audit FILE TABLE --for LIBRARY --machine MACHINE prices what a table has of them)"})
    EXPECT_EQ(std::count(said.begin(), said.end(), line), 1) << line;
}

TEST(Pricing, OneLayoutAloneIsServedAsItLikes) {
  const Table table = table_of({cell(bcast, 2, 4, 8, {{"linear", 6}, {"binomial", 8}}, 7),
                                cell(bcast, 8, 1, 8, {{"linear", 9}, {"binomial", 4}}, 7)});
  EXPECT_DOUBLE_EQ(exported(table, {1, false}).priced.all.gains.file, 7. / 4);
  EXPECT_DOUBLE_EQ(exported(table, {4, false}).priced.all.gains.file, 7. / 6);
}

TEST(Pricing, SizesOfOneRuleAreSaidToBeMerged) {
  Table table = table_of({cell(bcast, 4, 1, 8, {{"linear", 1}, {"binomial", 1.04}}, 2),
                          cell(bcast, 4, 1, 16, {{"linear", 1.04}, {"binomial", 1}}, 2)});
  const Price price = exported(table).priced.all;
  EXPECT_EQ(price.merging.cells, 1u);
  EXPECT_DOUBLE_EQ(price.merging.times_as_long, 1.04);
  table.bound = 0.01;
  EXPECT_EQ(exported(table).priced.all.merging.cells, 0u);
}

TEST(Pricing, WhereTheLibrarysOwnTimeIsUnknownItsChoiceIsKept) {
  const Table table =
      table_of({cell(bcast, 4, 1, 8, {{"binomial", 1}}, 2), cell(bcast, 8, 1, 8, {{"binomial", 1}}, std::nullopt)});
  const Exported file = exported(table);
  EXPECT_EQ(file.priced.all.unknown, 1u);
  EXPECT_DOUBLE_EQ(file.priced.all.gains.file, 2);
  EXPECT_EQ(test::choice_of(test::read_rules(file.text), 7, 8, 8).algorithm, 0);
  ASSERT_EQ(file.priced.remarks.size(), 1u);
  EXPECT_NE(file.priced.remarks[0].find("tutti tune with --for open-mpi-4.1"), std::string::npos);
}

TEST(Pricing, NoTuneIsAskedForTimesOfWhatIsNoneOfOurAlgorithms) {
  Table table = table_of({cell(alltoall, 11, 2, 22, {{"linear", 1}}, std::nullopt),
                          cell(alltoall, 11, 3, 33 << 20, {{"linear", 9}}, std::nullopt)});
  table.cells[1].default_seconds["mvapich2-2.3"] = 10;
  const PricedFile priced = export_table(table, find_exporter("mvapich2"), {}).priced;
  EXPECT_EQ(priced.all.unknown, 1u);
  std::string said;
  for (const std::string& remark : priced.remarks) said += remark + '\n';
  EXPECT_NE(said.find("1 cell: mvapich2-2.3 runs none of our algorithms there"), std::string::npos) << said;
  EXPECT_EQ(said.find("finds it"), std::string::npos) << said;
  ExportOptions only;
  only.ppn = 2;
  try {
    export_table(table, find_exporter("mvapich2"), only);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find("finds it"), std::string::npos);
  }
}

TEST(Pricing, ATableThatKnowsNothingOfTheLibrarysOwnTimesIsRefusedWithWhatToDo) {
  try {
    exported(table_of({cell(bcast, 8, 1, 8, {{"binomial", 1}}, std::nullopt)}));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("tutti tune with --for open-mpi-4.1"), std::string::npos);
  }
}

TEST(Pricing, TheOwnChoiceThatIsACandidateHasItsTime) {
  // Open MPI takes a chain for 200,000 bytes on three ranks.
  Table table = table_of({cell(bcast, 3, 1, 200'000, {{"chain:fanout=1", 6}, {"binomial", 2}}, std::nullopt)});
  EXPECT_DOUBLE_EQ(exported(table).priced.all.gains.file, 3);
  EXPECT_EQ(exported(table).priced.all.inferred, 0u);
  table.cells[0].inferred = {"chain:fanout=1"};
  table.cells[0].between_seconds = {{"chain:fanout=1", {4, 6}}};
  EXPECT_DOUBLE_EQ(exported(table).priced.all.gains.file, 2) << "no more than is sure";
  EXPECT_EQ(exported(table).priced.all.inferred, 1u);
  table.cells[0].default_seconds["open-mpi-4.1"] = 5;  // simulated by itself
  EXPECT_EQ(exported(table).priced.all.inferred, 0u);
  table.cells[0].inferred.insert("binomial");
  EXPECT_EQ(exported(table).priced.all.inferred, 1u);
  table.cells[0].inferred = {"chain:fanout=1"};
  table.cells[0].default_seconds.clear();
  table.cells[0].between_seconds = {{"chain:fanout=1", {1, 6}}};
  EXPECT_DOUBLE_EQ(exported(table).priced.all.gains.file, 1) << "it may be the faster one";
}

Table of_mvapich2(std::map<std::int64_t, double> own) {
  Table table = table_of({cell(allreduce, 4, 1, 8, {{"recursive_doubling", 1}, {"ring", 4}}, std::nullopt),
                          cell(allreduce, 4, 1, 1 << 20, {{"recursive_doubling", 9}, {"ring", 3}}, std::nullopt)});
  for (Cell& cell : table.cells)
    if (own.contains(cell.bytes)) cell.default_seconds["mvapich2-2.3"] = own.at(cell.bytes);
  return table;
}

TEST(Pricing, AVersionWhoseTimesTheTableHasStandsForItsLibrary) {
  const auto exported = [](const Table& table) { return export_table(table, find_exporter("mvapich2"), {}); };
  const auto says = [](const Exported& file, const std::string& line) {
    return file.text.find(line) != std::string::npos;
  };
  const Exported loses = exported(of_mvapich2({{8, 2}, {1 << 20, 5}}));  // recursive doubling, at 1 MiB
  EXPECT_FALSE(says(loses, "export MV2"));
  EXPECT_EQ(loses.priced.own, "mvapich2-2.3");
  EXPECT_EQ(loses.priced.all.gains.file, 1);
  EXPECT_TRUE(says(loses, "1 times as fast as mvapich2-2.3's own choices (geometric mean of 2 cells), slower in none"));
  EXPECT_TRUE(says(loses, "own choices are those of mvapich2-2.3: Default selection of MVAPICH2 2.3"));
  const Exported gains = exported(of_mvapich2({{8, 4}, {1 << 20, 9}}));
  EXPECT_TRUE(says(gains, "export MV2_INTER_ALLREDUCE_TUNING=1"));
  EXPECT_DOUBLE_EQ(gains.priced.all.gains.file, 2);
  // Where one size's time is not known, no number serves it, and so none of the communicator.
  EXPECT_FALSE(says(exported(of_mvapich2({{8, 2}})), "export MV2"));
  const Exported unknown = exported(of_mvapich2({}));
  EXPECT_TRUE(says(unknown, "export MV2_INTER_ALLREDUCE_TUNING="));
  EXPECT_TRUE(says(unknown, "what mvapich2 picks itself is not known here"));
  EXPECT_TRUE(says(unknown, "tutti tune --baselines mvapich2-2.3"));
}

TEST(Pricing, OneCellIsNotSaidAsIfItWereSeveral) {
  const Table table = table_of({cell(allreduce, 4, 1, 8, {{"recexch:radix=4", 1}, {"ring", 2}}, 8)});
  const std::vector<std::string> said = describe(table, exported(table).priced, {1, false});
  std::string text;
  for (const std::string& line : said) text += line + "\n";
  EXPECT_NE(text.find("1 cell takes 2 times as long"), std::string::npos) << text;
  EXPECT_NE(text.find("(geometric mean of 1 cell)"), std::string::npos) << text;
  EXPECT_NE(text.find(", 1 rank per node alone"), std::string::npos) << text;
}

TEST(Pricing, AFileThatLosesIsAFaultOfTheProgram) {
  const Table table = table_of({cell(bcast, 4, 1, 8, {{"linear", 3}, {"binomial", 1}}, 2)});
  const Exporter& exporter = find_exporter("open-mpi-classic");
  const auto priced = [&](const char* text) { return price(table, exporter, *exporter.read(text, "it"), {}); };
  EXPECT_DOUBLE_EQ(priced("1\n7\n1\n2\n1\n0 6 0 0\n").all.gains.file, 2);
  EXPECT_THROW(priced("1\n7\n1\n2\n1\n0 1 0 0\n"), std::logic_error);
}

/// ompi/mca/coll/base/coll_base_functions.h: COLLTYPE.
const std::map<Collective, int> kIds = {
    {allgather, 0}, {allreduce, 2}, {alltoall, 3}, {barrier, 6},         {bcast, 7},
    {exscan, 8},    {gather, 9},    {reduce, 11},  {reduce_scatter, 12}, {reduce_scatter_block, 13},
    {scan, 14},     {scatter, 15}};

/// What a table on this machine says, and what its file does by a look-up of our own.
void expect_no_loss(const std::string& machine_name, const std::vector<int>& nodes, const std::vector<int>& ppn,
                    const std::string& library, const std::string& target) {
  SCOPED_TRACE(machine_name + " for " + library);
  const Machine machine = load_machine(machine_name);
  TuneRequest request;
  request.machine = &machine;
  request.machine_text = machine_source(machine_name);
  request.nodes = nodes;
  request.ppn = ppn;
  request.bytes = {8, 64, 4096, 65'536, 262'144, 1 << 20};
  for (int i = 0; i < kCollectives; ++i) request.collectives.push_back(static_cast<Collective>(i));
  request.engine = "fast";
  request.library = library;
  request.baselines = {library};
  const Table table = tune(request);
  const Exporter& exporter = find_exporter(target);
  const Exported file = export_table(table, exporter, {});
  const test::Rules rules = test::read_rules(file.text);
  const auto read = exporter.read(file.text, "it");
  Simulations simulations(machine, parse_mode(table.mode), table.placement, nullptr);
  std::map<Collective, std::pair<double, int>> logarithms;
  std::map<Collective, std::size_t> cells;
  std::size_t said = 0, otherwise = 0;
  for (const Cell& c : table.cells) {
    for (const auto& [name, seconds] : c.seconds) {  // or what coll/han does by itself, or is told to
      const Choice choice = parse_choice(c.place.collective, name);
      EXPECT_TRUE(name_of(find_library(library), choice) || has_parts(choice) ||
                  (library == "open-mpi-5.0" && choice.algorithm->name().starts_with("han")))
          << name;
    }
    const Case call = case_for(c.place, c.bytes);
    const double own =
        simulations.seconds("fast", {c.place, c.bytes, pick(find_baseline(library), call, c.place.on_nodes()).choice});
    const bool is_scan = c.place.collective == scan || c.place.collective == exscan;
    const test::Message message = test::choice_of(rules, kIds.at(c.place.collective), c.place.ranks(),
                                                  c.place.collective == barrier ? 0
                                                  : is_scan                     ? std::int64_t{4} * c.place.ranks()
                                                                                : c.bytes);
    double seconds = own;
    // What the library puts together of what the file serves is said, and in no sum.
    if (message.algorithm == 0 && choice_under(*read, call, c.place.on_nodes(), &find_baseline(library))) {
      ++otherwise;
      continue;
    }
    if (message.algorithm != 0) {
      ++said;
      Choice choice = find_name(find_library(library), c.place.collective, std::to_string(message.algorithm))->ours;
      for (auto& [name, value] : choice.parameters)
        if (name == "segment" || name == "fanout") value = name == "segment" ? message.segment : message.fanout;
      const auto known = c.seconds.find(choice.text());
      ASSERT_NE(known, c.seconds.end()) << choice.text();
      seconds = known->second;
      EXPECT_LE(seconds, own * (1 + 1e-12)) << name_of(c.place.collective) << " " << c.place.nodes << " x "
                                            << c.place.ppn << ", " << c.bytes << " bytes: " << choice.text();
    }
    ++cells[c.place.collective];
    if (own == 0 || seconds == 0) continue;  // blocks without a byte: nothing is gained
    auto& [sum, timed] = logarithms[c.place.collective];
    sum += std::log(own / seconds);
    ++timed;
  }
  EXPECT_EQ(file.priced.all.unknown, otherwise);
  EXPECT_GT(said * 10, table.cells.size());
  ASSERT_EQ(file.priced.collectives.size(), logarithms.size());
  double sum = 0;
  int timed = 0;
  for (const auto& [collective, price] : file.priced.collectives) {
    EXPECT_EQ(price.cells, cells[collective]);
    EXPECT_EQ(price.cells - price.timeless, static_cast<std::size_t>(logarithms[collective].second));
    EXPECT_NEAR(price.gains.file, std::exp(logarithms[collective].first / logarithms[collective].second), 1e-9);
    sum += logarithms[collective].first;
    timed += logarithms[collective].second;
  }
  EXPECT_NEAR(file.priced.all.gains.file, std::exp(sum / timed), 1e-9);
  EXPECT_GT(file.priced.all.gains.file, 1.02);
}

TEST(Pricing, AnExportedFileLosesNowhereAndGainsWhatIsAnnounced) {
  expect_no_loss("example-cluster", {2, 3, 4, 8}, {1, 2, 4}, "open-mpi-4.1", "open-mpi-classic");
  expect_no_loss("leonardo-booster", {1, 2, 3, 8}, {1, 4}, "open-mpi-4.1", "open-mpi-classic");
  expect_no_loss("lumi-g", {2, 4, 5, 8}, {1, 2}, "open-mpi-5.0-without-han", "open-mpi-classic-5.0");
  expect_no_loss("lumi-g", {2, 4, 5, 8}, {1, 2}, "open-mpi-5.0", "open-mpi");
}

}  // namespace
}  // namespace tutti
