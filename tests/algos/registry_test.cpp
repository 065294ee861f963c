#include "algos/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "algos/named_choice.hpp"
#include "algos/registering.hpp"
#include "base/error.hpp"
#include "base/sizes.hpp"
#include "tests/neighbors.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

/// Source files of the algorithms, relative to the root, that register one.
std::multiset<std::string> registering_files() {
  const fs::path root = TUTTI_SOURCE_DIR;
  std::multiset<std::string> files;
  for (const fs::directory_entry& folder : fs::directory_iterator(root / "algos")) {
    if (!folder.is_directory()) continue;
    for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
      std::ostringstream text;
      text << std::ifstream(file.path()).rdbuf();
      if (text.str().find("\nTUTTI_ALGORITHM(") != std::string::npos)
        files.insert(fs::relative(file.path(), root).string());
    }
  }
  return files;
}

std::string refusal_of_choice(Collective collective, const std::string& choice) {
  try {
    static_cast<void>(parse_choice(collective, choice));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Registry, HoldsOneAlgorithmForEachFileThatRegistersOne) {
  std::multiset<std::string> registered;
  for (const Algorithm& a : registry()) registered.insert(a.file());
  EXPECT_EQ(registered, registering_files());
  EXPECT_GT(registered.size(), 20u);
}

TEST(Registry, AFileIsNamedAfterItsAlgorithmAndItsFolderAfterTheCollective) {
  for (const Algorithm& a : registry())
    EXPECT_EQ(a.file(), "algos/" + std::string(name_of(a.collective())) + "/" + a.name() + ".cpp");
}

TEST(Registry, IsSortedAndNoTwoHaveTheSameName) {
  for (std::size_t i = 1; i < registry().size(); ++i) {
    const Algorithm &a = registry()[i - 1], &b = registry()[i];
    EXPECT_TRUE(std::pair(a.collective(), a.name()) < std::pair(b.collective(), b.name())) << b.full_name();
  }
}

TEST(Registry, EveryAlgorithmDeclaresItsCountsAndItsSource) {
  for (const Algorithm& a : registry()) {
    EXPECT_FALSE(a.rounds().text().empty()) << a.full_name();
    EXPECT_FALSE(a.messages().text().empty()) << a.full_name();
    EXPECT_FALSE(a.bytes().text().empty()) << a.full_name();
    EXPECT_GT(a.cite().size(), 20u) << a.full_name();
  }
}

TEST(Registry, EveryFormulaCanBeEvaluatedAndEveryFallBackExists) {
  for (const Algorithm& a : registry())
    for (const int p : {1, 2, 7, 64, 1000}) {
      const Case c =
          among_some_neighbors({a.collective(), p, 10, default_element_bytes(a.collective()), 0, false, Operator::sum});
      const Choice choice = default_choice(a), real = resolve(choice, c);
      const Facts facts(c, real.parameters);
      for (const Quantity* q : {&real.algorithm->rounds(), &real.algorithm->messages(), &real.algorithm->bytes()})
        EXPECT_GE((*q)(facts), 0) << a.full_name() << " p=" << p << ": " << q->text();
      EXPECT_GE(real.algorithm->ports()(facts), 1) << a.full_name();
      for (const Fallback& f : a.fallbacks()) EXPECT_NO_THROW(static_cast<void>(find_algorithm(a.collective(), f.to)));
    }
}

TEST(Registry, ParametersButLevelsAreAtMostFourWithTheirDefaultInRange) {
  for (const Algorithm& a : registry()) {
    EXPECT_LE(std::count_if(a.parameters().begin(), a.parameters().end(),
                            [](const ParameterSpec& p) { return !is_choice(p) || !is_none(p.standard); }),
              4)
        << a.full_name();
    for (const ParameterSpec& p : a.parameters()) {
      EXPECT_LE(p.minimum, p.standard) << a.full_name() << " " << p.name;
      EXPECT_LE(p.standard, p.maximum) << a.full_name() << " " << p.name;
    }
  }
}

TEST(Choice, HasValuesByTheRolesOfItsParameters) {
  Choice choice = parse_choice(Collective::bcast, "pipelined_tree:tree_type=2:radix=3");
  EXPECT_EQ(*value_of(choice, ParameterRole::radix), 3);
  *value_of(choice, ParameterRole::segment) = 77;
  EXPECT_EQ(choice.text(), "pipelined_tree:tree_type=2:radix=3:segment=77");
  EXPECT_EQ(value_of(choice, ParameterRole::window), nullptr);
}

TEST(Choice, TextLeavesOutDefaultsAndReadsBack) {
  const Choice plain = parse_choice(Collective::allgather, "k_bruck");
  EXPECT_EQ(plain.text(), "k_bruck");
  EXPECT_EQ(plain, parse_choice(Collective::allgather, "k_bruck:radix=2"));
  const Choice radix8 = parse_choice(Collective::allgather, "k_bruck:radix=8");
  EXPECT_EQ(radix8.text(), "k_bruck:radix=8");
  EXPECT_FALSE(radix8 == plain);
  EXPECT_EQ(parse_choice(Collective::alltoall, "linear_sync:window=1K").parameters[0].second, 1024);
  for (const Algorithm& a : registry()) {
    Choice choice = default_choice(a);
    for (std::size_t i = 0; i < choice.parameters.size(); ++i)
      if (!is_choice(a.parameters()[i])) choice.parameters[i].second = a.parameters()[i].minimum;
    EXPECT_EQ(parse_choice(a.collective(), choice.text()), choice) << choice.text();
  }
}

TEST(Choice, MistakesAreRefusedWithWhatWasExpected) {
  EXPECT_NE(refusal_of_choice(Collective::allgather, "brick")
                .find("unknown algorithm 'brick' for allgather: expected one of"),
            std::string::npos);
  EXPECT_NE(refusal_of_choice(Collective::allgather, "brick").find("k_bruck"), std::string::npos)
      << "the known ones are listed";
  EXPECT_NE(refusal_of_choice(Collective::allgather, "k_bruck:radiks=4").find("unknown parameter 'radiks'"),
            std::string::npos);
  EXPECT_NE(refusal_of_choice(Collective::allgather, "k_bruck:radix").find("expected name=value"), std::string::npos);
  EXPECT_NE(refusal_of_choice(Collective::allgather, "k_bruck:radix=1").find("expected at least 2"), std::string::npos);
  for (const char* large : {"1125899906842624", "4611686018427387903", "4611686018427387904"})
    EXPECT_NE(refusal_of_choice(Collective::bcast, std::string("knomial:radix=") + large)
                  .find("of bcast/knomial: expected at most 1125899906842623"),
              std::string::npos)
        << large << ": numbers stand for choices from 2^50 on";
  EXPECT_NE(refusal_of_choice(Collective::allgather, "k_bruck:radix=x").find("'x'"), std::string::npos);
  EXPECT_NE(refusal_of_choice(Collective::allgather, "k_bruck:radix=").find("whole number"), std::string::npos);
  EXPECT_NE(refusal_of_choice(Collective::allgather, "k_bruck:").find("expected name=value"), std::string::npos);
  EXPECT_NE(refusal_of_choice(Collective::allgather, "").find("unknown algorithm ''"), std::string::npos);
  EXPECT_NE(
      refusal_of_choice(Collective::allgather, "ring:radix=4").find("unknown parameter 'radix' of allgather/ring"),
      std::string::npos);
}

TEST(Choice, FallBacksAreFollowedAndRequirementsSaidInWords) {
  const auto at = [](int p) { return Case{Collective::allgather, p, 1, 1, 0, false, Operator::sum}; };
  const Choice doubling = parse_choice(Collective::allgather, "recursive_doubling");
  EXPECT_EQ(resolve(doubling, at(8)).text(), "recursive_doubling");
  EXPECT_EQ(resolve(doubling, at(9)).text(), "bruck");
  const Choice two = parse_choice(Collective::allgather, "two_proc");
  EXPECT_EQ(why_not(two, at(2)), "");
  EXPECT_EQ(why_not(two, at(3)), "needs exactly two ranks");
}

TEST(Choice, TheCallOfARankCarriesTheParameters) {
  const Choice choice = parse_choice(Collective::allgather, "k_bruck:radix=5");
  const Call call = make_call({Collective::allgather, 4, 2, 1, 0, false, Operator::sum}, choice, 3);
  EXPECT_EQ(call.parameter("radix"), 5);
  EXPECT_THROW(static_cast<void>(call.parameter("segment")), std::logic_error);
}

TEST(Facts, NameTheCaseAndTheParameters) {
  const Case c{Collective::reduce, 6, 100, 8, 2, true, Operator::user};
  const Facts facts(c, {{"radix", 3}, {"segment", 150}});
  EXPECT_EQ(facts["p"], 6);
  EXPECT_EQ(facts["n"], 800);
  EXPECT_EQ(facts["c"], 100);
  EXPECT_EQ(facts["e"], 8);
  EXPECT_EQ(facts["root"], 2);
  EXPECT_EQ(facts["in_place"], 1);
  EXPECT_EQ(facts["commutative"], 0);
  EXPECT_EQ(facts["k"], 3);
  EXPECT_EQ(facts["segments"], 6) << "18 whole elements in 150 bytes: 100 elements make 6";
  EXPECT_THROW(static_cast<void>(facts["q"]), std::invalid_argument);
}

std::string refused_at_registration(const std::function<void(Algorithm&)>& declare) {
  Algorithm algorithm(Collective::bcast, "coloured", nullptr, __FILE__);
  declare(algorithm);
  const std::string fault = fault_in(algorithm);
  return fault.empty() ? "registered" : fault;
}

TEST(Registry, RefusesAParameterOfWhichNobodySaysWhatToTry) {
  EXPECT_EQ(refused_at_registration([](Algorithm& a) { a.parameter("colour", 0, 0); }),
            "bcast/coloured: no value of 'colour' is tried beside its default: declare those that are by tried({…})");
  EXPECT_EQ(refused_at_registration([](Algorithm& a) { a.parameter("radix", 1, 2); }),
            "bcast/coloured: the default of 'radix' is outside its limits");
  EXPECT_EQ(refused_at_registration([](Algorithm& a) { a.parameter("colour", 5, 5).tried({4}); }),
            "bcast/coloured: a value that is tried of 'colour' is outside its limits");
  EXPECT_EQ(refused_at_registration([](Algorithm& a) { a.parameter("radix", 2, 2); }), "registered");
}

TEST(Registry, RefusesFormulasThatCannotBeRead) {
  for (const auto& declare : std::vector<std::function<void(Algorithm&)>>{
           [](Algorithm& a) { a.rounds("p-"); }, [](Algorithm& a) { a.messages("(p"); },
           [](Algorithm& a) { a.requires_that("p >", "never"); }, [](Algorithm& a) { a.fallback("", "linear"); }})
    EXPECT_TRUE(refused_at_registration(declare).starts_with("bcast/coloured: ")) << refused_at_registration(declare);
  EXPECT_EQ(fault_in(Algorithm(Collective::bcast, "a,b", nullptr, __FILE__)),
            "bcast/a,b: expected a name of letters, digits and _");
}

TEST(Registry, RefusesParametersAndNamesThatCouldNotBeToldApart) {
  EXPECT_EQ(refused_at_registration([](Algorithm& a) { a.parameter("radix", 2, 2).parameter("radix", 3, 2); }),
            "bcast/coloured: parameter 'radix': expected to be declared once");
  for (const char* fact : {"p", "n", "e", "c", "root", "commutative", "in_place", "grid", "edges", "k", "segments"})
    EXPECT_EQ(refused_at_registration([&](Algorithm& a) { a.parameter(fact, 0, 0).tried({1}); }),
              "bcast/coloured: parameter '" + std::string(fact) +
                  "': expected a name that no fact of the call has in formulas");
  EXPECT_EQ(refused_at_registration([](Algorithm& a) { a.parameter("a=b", 0, 0).tried({1}); }),
            "bcast/coloured: parameter 'a=b': expected a name of letters, digits and _");
  for (const char* word : {"all", "table"})
    EXPECT_EQ(fault_in(Algorithm(Collective::bcast, word, nullptr, __FILE__)),
              "bcast/" + std::string(word) + ": expected a name that means nothing else where algorithms are named");
}

std::string fault_of_first(const std::vector<Algorithm>& algorithms) {
  return fault_among(algorithms.front(), algorithms);
}

TEST(Registry, RefusesFallbacksWithoutEnd) {
  const auto named = [](const char* name) { return Algorithm(Collective::bcast, name, nullptr, __FILE__); };
  EXPECT_EQ(fault_of_first({named("a").fallback("p>3", "b"), named("b")}), "");
  EXPECT_EQ(fault_of_first({named("a").fallback("p>3", "a")}),
            "bcast/a: fallback: expected an end: a, a go round in a circle");
  EXPECT_EQ(fault_of_first({named("a").fallback("p>3", "b"), named("b").fallback("p>3", "a")}),
            "bcast/a: fallback: expected an end: a, b, a go round in a circle");
  EXPECT_EQ(fault_of_first({named("a").fallback("p>3", "nowhere")}),
            "bcast/a: fallback: expected another algorithm of bcast, not 'nowhere'");
  for (const Algorithm& algorithm : registry()) EXPECT_EQ(fault_among(algorithm, registry()), "");
}

TEST(Registry, RefusesFormulasThatGiveNoNumber) {
  const auto fault = [](const std::function<void(Algorithm&)>& declare) {
    Algorithm algorithm(Collective::bcast, "coloured", nullptr, __FILE__);
    declare(algorithm);
    return fault_among(algorithm, {algorithm});
  };
  EXPECT_EQ(fault([](Algorithm& a) { a.rounds("sum(i,0,1e18,1)"); }),
            "bcast/coloured: rounds: sum: expected at most 2^24 terms in an expression");
  EXPECT_EQ(fault([](Algorithm& a) { a.messages("p/0"); }),
            "bcast/coloured: messages: 'p/0' gives inf of 4 ranks, expected a number");
  EXPECT_EQ(fault([](Algorithm& a) { a.ports("0-5"); }),
            "bcast/coloured: ports: '0-5' gives -5.000000 of 4 ranks, expected at least 1");
  EXPECT_EQ(fault([](Algorithm& a) { a.ports("p/0"); }),
            "bcast/coloured: ports: 'p/0' gives inf of 4 ranks, expected at least 1");
  EXPECT_EQ(fault([](Algorithm& a) { a.requires_that("q>1", "much"); }),
            "bcast/coloured: requires_that: unknown name 'q' in an expression");
}

TEST(Registry, TriesTheUsualValuesOfAParameterWithinItsLimits) {
  const auto tried = [](const char* name, std::int64_t standard, std::int64_t minimum, std::int64_t maximum) {
    return usual_parameter(name, standard, minimum, maximum).tried;
  };
  using Values = std::vector<std::int64_t>;
  EXPECT_EQ(tried("radix", 4, 2, 100), (Values{2, 8}));
  EXPECT_EQ(tried("radix", 20, 3, 100), (Values{4, 8}));
  EXPECT_EQ(tried("fanout", 4, 1, 100), (Values{2}));
  EXPECT_EQ(tried("window", 32, 0, 100), (Values{4, 16}));
  EXPECT_EQ(tried("segment", 0, 0, 100'000), (Values{8192, 16384, 32768, 65536}));
  EXPECT_EQ(tried("tree_type", 1, 0, 2), (Values{0, 2})) << "a selector: all of them";
  EXPECT_EQ(tried("colour", 1, 0, 100), (Values{})) << "nobody knows what to try";
}

}  // namespace
}  // namespace tutti
