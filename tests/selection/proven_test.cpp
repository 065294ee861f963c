// What the search may choose is proven: the proof's variants hold every candidate, and all that a library's default is.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "models/machine.hpp"
#include "selection/baselines.hpp"
#include "selection/candidates.hpp"
#include "sim/proof/cases.hpp"
#include "sim/proof/verify.hpp"

namespace tutti {
namespace {

TEST(Proven, IsEveryChoiceThatTheSearchTriesByItself) {
  int choices = 0;
  for (int c = 0; c < kCollectives; ++c)
    for (const Choice& choice : candidate_choices(static_cast<Collective>(c), {})) {
      EXPECT_TRUE(proof::covers(choice)) << name_of(choice.algorithm->collective()) << "/" << choice.text();
      ++choices;
    }
  EXPECT_GT(choices, 150);
}

/// Compositions by all levels of a machine: the proof has those of all levels that there are anywhere. Segments are cut
/// down to two elements.
TEST(Proven, IsWhatTheSearchTriesByTheLevelsOfEachMachine) {
  std::map<std::string, Choice> by_levels;
  for (const std::string& name : machine_names()) {
    const Machine machine = load_machine(name);
    for (int c = 0; c < kCollectives; ++c)
      for (Choice choice : candidate_choices(static_cast<Collective>(c), {}, *machine.network)) {
        if (proof::covers(choice)) continue;
        if (std::int64_t* segment = value_of(choice, ParameterRole::segment); segment && *segment > 0) *segment = 8;
        by_levels.emplace(choice.algorithm->full_name() + choice.text(), choice);
      }
  }
  EXPECT_GT(by_levels.size(), 20U);
  proof::VerifyRequest request;
  for (const auto& [text, choice] : by_levels) request.choices.push_back(choice);
  request.processes = 2;
  std::vector<std::int64_t> proven(by_levels.size());
  for (const auto& [ranks, root] : {std::pair<std::vector<int>, std::optional<Rank>>{{2, 5}, {}}, {{9}, 4}}) {
    request.ranks = ranks;
    request.only.root = root;
    const std::vector<proof::Verdict> verdicts = proof::verify(request);
    ASSERT_EQ(verdicts.size(), proven.size());
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      EXPECT_FALSE(verdicts[i].refutation) << verdicts[i].refutation->text();
      proven[i] += verdicts[i].proven;
    }
  }
  for (const std::int64_t cases : proven) EXPECT_GT(cases, 0);
}

TEST(Proven, IsWhatRunsInsteadOfACandidateWhateverItsShape) {
  for (int c = 0; c < kCollectives; ++c)
    for (const Choice& choice : candidate_choices(static_cast<Collective>(c), {}))
      for (const int ranks : {1, 2, 7, 8, 33, 64, 100, 1024, 4097})
        for (const std::int64_t bytes : {0, 8, 1 << 10, 1 << 16, 1 << 20, 1 << 26}) {
          Place place;
          place.collective = static_cast<Collective>(c);
          place.nodes = ranks;
          const Case one = case_for(place, bytes);
          EXPECT_TRUE(proof::covers(resolve(choice, one))) << proof::covers(choice) << choice.text();
        }
}

/// Compositions that a library makes of other algorithms than ours by default are proven here, segments of two
/// elements.
TEST(Proven, IsEveryChoiceThatALibraryMakesByDefault) {
  int choices = 0;
  std::map<std::string, Choice> composed;
  for (const std::string& name : baseline_names())
    for (const auto& [collective, rules] : find_baseline(name).collectives)
      for (const Choice& choice : named_choices(find_baseline(name), collective)) {
        ++choices;
        if (proof::covers(choice)) continue;
        ASSERT_TRUE(choice.algorithm->is_by_node()) << name << ": " << name_of(collective) << "/" << choice.text();
        Choice shorter = choice;
        if (std::int64_t* segment = value_of(shorter, ParameterRole::segment); segment && *segment > 0) *segment = 8;
        composed.emplace(std::string(name_of(collective)) + shorter.text(), shorter);
      }
  EXPECT_GT(choices, 100);
  proof::VerifyRequest request;
  for (const auto& [text, choice] : composed) request.choices.push_back(choice);
  request.ranks = {2, 3, 5, 8, 9, 12, 16};
  request.processes = 2;
  const std::vector<proof::Verdict> verdicts = proof::verify(request);
  EXPECT_GE(verdicts.size(), 14U);
  for (const proof::Verdict& verdict : verdicts) {
    EXPECT_FALSE(verdict.refutation) << verdict.refutation->text();
    EXPECT_GT(verdict.proven, 0);
  }
}

}  // namespace
}  // namespace tutti
