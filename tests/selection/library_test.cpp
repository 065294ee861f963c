#include "selection/library.hpp"

#include <gtest/gtest.h>

#include "algos/patterns/tuned_numbers.hpp"
#include "base/error.hpp"
#include "selection/baselines.hpp"
#include "selection/export.hpp"

namespace tutti {
namespace {

TEST(Library, EveryExporterServesOneThatIsKnown) {
  for (const Exporter* exporter : exporters()) EXPECT_NO_THROW(find_library(exporter->library())) << exporter->name();
}

TEST(Library, NamesAreFoundByOursAndByTheirs) {
  for (const Library& library : libraries())
    for (const auto& [collective, names] : library.algorithms)
      for (const Library::Name& name : names) {
        EXPECT_EQ(name_of(library, name.ours), &name) << library.name << " " << name.ours.text();
        EXPECT_EQ(find_name(library, collective, name.theirs), &name) << library.name << " " << name.theirs;
        if (library.name == "mpich") {
          EXPECT_TRUE(name.theirs.starts_with("MPIR_")) << name.theirs;
        }
        if (library.product == "Open MPI") continue;  // which says for all algorithms what it can be told
        for (const std::string& told : name.told)
          EXPECT_NO_THROW(parse_choice(collective, name.ours.algorithm->name() + ":" + told + "=2")) << name.theirs;
      }
}

TEST(Library, AVersionHasWhatAnotherHasAndItsOwn) {
  const Choice sparbit = parse_choice(Collective::allgather, "sparbit"),
               ring = parse_choice(Collective::allgather, "ring");
  EXPECT_EQ(name_of(find_library("open-mpi-4.1"), sparbit), nullptr);
  EXPECT_EQ(name_of(find_library("open-mpi-5.0"), sparbit)->theirs, "7");
  EXPECT_EQ(name_of(find_library("open-mpi-5.0"), ring)->theirs, name_of(find_library("open-mpi-4.1"), ring)->theirs);
  EXPECT_EQ(names_in("Open MPI", *sparbit.algorithm), (std::map<std::string, std::string>{{"5.0", "7"}}));
}

TEST(Library, OpenMpiHasTheNumbersByWhichItsTwoLevelAlgorithmsNameTheirParts) {
  std::map<Collective, std::size_t> numbered;
  for (const Algorithm& algorithm : registry())
    if (const auto number = number_in_tuned(algorithm)) {
      const auto named = names_in("Open MPI", algorithm);
      EXPECT_EQ(named.contains("5.0") ? named.at("5.0") : "none", std::to_string(*number)) << algorithm.full_name();
      ++numbered[algorithm.collective()];
    }
  EXPECT_EQ(numbered.size(), 7u) << "the collectives of coll/han";
  for (const auto& [collective, count] : numbered)
    EXPECT_EQ(count, find_library("open-mpi-5.0").algorithms.at(collective).size()) << name_of(collective);
}

TEST(Library, WhoseOwnChoicesNobodyKnowsHasNoBaseline) {
  EXPECT_EQ(find_library("ucc").name, "ucc");
  EXPECT_THROW(find_baseline("ucc"), InputError);
}

Library a_library(const std::string& algorithms) {
  return parse_library(
      "{\"name\": \"x\", \"description\": \"x\", \"source\": \"x\", \"told\": [\"fanout\"],\n"
      "\"algorithms\": {\"bcast\": {\n" +
          algorithms + "}}}",
      "x.json");
}

TEST(Library, ANameHoldsForParametersThatItIsTold) {
  const Library library =
      a_library(R"("chain:segment=512": 3, "knomial": {"name": "tree", "told": ["radix"], "with": ["kind=1"]})");
  const auto named = [&](const char* choice) {
    const Library::Name* name = name_of(library, parse_choice(Collective::bcast, choice));
    return name ? name->theirs : "";
  };
  EXPECT_EQ(named("chain:segment=512"), "3");
  EXPECT_EQ(named("chain:segment=512:fanout=7"), "3");
  EXPECT_EQ(named("chain"), "") << "another segment";
  EXPECT_EQ(named("knomial:radix=9"), "tree");
  EXPECT_EQ(named("knomial:segment=8"), "");
  EXPECT_EQ(named("linear"), "");
  EXPECT_EQ(find_name(library, Collective::bcast, "tree")->with, (std::vector<std::string>{"kind=1"}));
}

TEST(Library, ATextThatIsNoneIsRefusedWithItsLine) {
  const auto fault = [](const std::string& algorithms) {
    try {
      a_library(algorithms);
      return std::string();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(fault(R"("binomial": 1)"), "");
  EXPECT_EQ(fault(R"("binomial": 1, "linear": 1)"),
            "x.json:3: /algorithms/bcast/linear: expected a name that no other algorithm of the collective has");
  EXPECT_TRUE(fault(R"("bruck": 1)").starts_with("x.json:3: /algorithms/bcast/bruck: unknown algorithm 'bruck'"));
  EXPECT_TRUE(fault(R"("knomial:radix=1": 1)").starts_with("x.json:3: /algorithms/bcast/knomial:radix=1: radix=1"));
  EXPECT_TRUE(fault(R"("binomial": {"told": []})").starts_with("x.json:3: /algorithms/bcast/binomial"));
  EXPECT_TRUE(fault(R"("binomial": [])").starts_with("x.json:3: /algorithms/bcast/binomial"));
}

}  // namespace
}  // namespace tutti
