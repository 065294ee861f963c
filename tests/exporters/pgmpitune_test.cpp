// Profiles of PGMPITuneLib, as its reader takes them.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "selection/export.hpp"
#include "selection/lint.hpp"

namespace tutti {
namespace {

using enum Collective;

const std::string kByHand =
    "# by hand\n"
    "MPI_Allgather # the collective\n"
    "4 # for so many ranks\n"
    "2\n"
    "1 allgather_as_allgather_lane\n"
    "7 default\n"
    "2\n"
    "16 32 1\n"
    "33 64 7\n";

std::string choice_of_profile(const std::string& text, Collective collective, int ranks, std::int64_t bytes) {
  const Case c{collective, ranks, collective == allgather ? bytes / ranks : bytes, 1};
  const auto choice = find_exporter("pgmpitune").read(text, "it")->choice(c, evenly(ranks / 2, ranks));
  return choice ? choice->text() : "";
}

Rule profile_rule(std::int64_t from, std::int64_t to, const std::string& algorithm) {
  Rule made;
  made.from_bytes = from, made.to_bytes = to, made.algorithm = algorithm;
  return made;
}

TEST(PgmpituneProfiles, AreOfOneNumberOfRanksAndOfOneRanksBlock) {
  EXPECT_EQ(choice_of_profile(kByHand, allgather, 4, 64), "full_lane");
  EXPECT_EQ(choice_of_profile(kByHand, allgather, 4, 128), "full_lane");
  for (const std::int64_t bytes : {60, 132, 256, 260})
    EXPECT_EQ(choice_of_profile(kByHand, allgather, 4, bytes), "") << bytes;
  EXPECT_EQ(choice_of_profile(kByHand, allgather, 8, 128), "");
  EXPECT_EQ(choice_of_profile(kByHand, allreduce, 4, 32), "");
}

TEST(PgmpituneProfiles, LeaveCallsOfNothingAndNumbersOfRanksBetweenToTheLibrary) {
  const Exporter& exporter = find_exporter("pgmpitune");
  const std::vector<FileRules> rules =
      exporter.settled({{allreduce,
                         {kMixed, 4},
                         4,
                         false,
                         {profile_rule(0, 1023, "full_lane"), profile_rule(1024, Rule::kUnlimited, "circulant")}},
                        {allgather,
                         {kMixed, 8},
                         FileRules::kNoEnd,
                         false,
                         {profile_rule(0, 0, "circulant"), profile_rule(1, 4095, "circulant")}}},
                       {});
  const std::string text = exporter.write(rules, {});
  EXPECT_EQ(choice_of_profile(text, allreduce, 4, 0), "");
  EXPECT_EQ(choice_of_profile(text, allreduce, 4, 1), "full_lane");
  EXPECT_EQ(choice_of_profile(text, allreduce, 4, 1024), "circulant");
  EXPECT_EQ(choice_of_profile(text, allreduce, 6, 1024), "");
  EXPECT_EQ(choice_of_profile(text, allgather, 8, 4088), "circulant");
  EXPECT_EQ(choice_of_profile(text, allgather, 8, 4096), "")
      << "a block of 512 bytes is the first that the rule is not for";
  EXPECT_EQ(choice_of_profile(text, allgather, 16, 4088), "");
}

TEST(PgmpituneProfiles, ThatPgmpitunelibCouldNotFollowAreRefusedOrNoted) {
  const Exporter& exporter = find_exporter("pgmpitune");
  const auto refused = [&](const std::string& text) {
    try {
      exporter.read(text, "it");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused("MPI_Allgatherv\n"),
            "it:1: expected the name of a collective that PGMPITuneLib replaces, such as MPI_Allgather");
  EXPECT_EQ(refused("MPI_Bcast\n4\n1\n1 bcast_as_bcast_lane\n1\n64 32 1\n"),
            "it:6: expected a size in bytes, not below the first");
  EXPECT_EQ(refused("MPI_Bcast\n4\n1\n1 bcast_as_bcast_lane\n1\n0 32 2\n"),
            "it:6: expected the number of one of the mock-ups");
  const std::string shell =
      "if [ \"$tutti_ranks\" -eq 5 ]; then\ncat > \"$tutti_profiles/tutti-MPI_Bcast.prf\" <<'end'\n";
  EXPECT_EQ(refused(shell + "MPI_Bcast\n4\n1\n1 bcast_as_bcast_lane\n1\n0 32 1\nend\nfi\n"),
            "it:1: expected if [ \"$tutti_ranks\" -eq 4 ]; then");
  const std::string unknown = "MPI_Bcast\n4\n1\n1 bcast_as_allgatherv\n1\n0 32 1\n";
  EXPECT_EQ(refused(unknown), "it:6: expected the number of a mock-up that Tutti has an algorithm for");
  const std::vector<LintFinding> findings = lint(exporter, unknown, "it");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind + (findings[0].note ? ", a note" : ""), "unknown, a note");
}

}  // namespace
}  // namespace tutti
