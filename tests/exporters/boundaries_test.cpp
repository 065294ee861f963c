// What files say at the ends of their ranges, as the libraries read these ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/error.hpp"
#include "selection/export.hpp"
#include "selection/pricing.hpp"

namespace tutti {
namespace {

using enum Collective;

Rule rule_of_bytes(std::int64_t from, std::int64_t to, const std::string& algorithm) {
  Rule made;
  made.from_bytes = from, made.to_bytes = to, made.algorithm = algorithm;
  return made;
}

std::vector<std::string> lines_that_begin(const std::string& text, const std::string& begin) {
  std::vector<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);)
    if (line.starts_with(begin)) lines.push_back(line);
  return lines;
}

std::string choice_of_file(const Exporter& exporter, const std::string& text, int ranks, std::int64_t bytes) {
  const Case c{allreduce, ranks, bytes, 1};
  const std::optional<Choice> choice = exporter.read(text, "it")->choice(c, evenly(ranks, ranks));
  return choice ? choice->text() : "";
}

TEST(Boundaries, OfMvapich2AreNoSizesAndAListOfThemIsFound) {
  const Exporter& mvapich = find_exporter("mvapich2");
  const auto all = [](const std::string& algorithm) {
    return std::vector<Rule>{rule_of_bytes(0, Rule::kUnlimited, algorithm)};
  };
  const std::vector<FileRules> rules{{allgather, {1, 4}, 4, false, all("ring")},
                                     {allreduce, {1, 4}, 4, false, all("rabenseifner")},
                                     {alltoall, {1, 4}, 4, false, all("bruck")},
                                     {reduce_scatter, {2, 4}, FileRules::kNoEnd, false, all("recursive_halving")}};
  const std::string text = mvapich.write(rules, {"a line"});
  EXPECT_EQ(
      text,
      "# Tutti: MV2_*_TUNING of MVAPICH2 2.3,\n"
      "# to be sourced where a job starts; without Slurm set TUTTI_NODES and TUTTI_RANKS before.\n"
      "# They hold for all communicators of the job, also those of fewer ranks.\n"
      "# a line\n"
      "tutti_nodes=${TUTTI_NODES:-${SLURM_JOB_NUM_NODES:-0}}\n"
      "tutti_ranks=${TUTTI_RANKS:-${SLURM_NTASKS:-0}}\n"
      "if [ \"$tutti_nodes\" -eq 0 ] || [ \"$tutti_ranks\" -eq 0 ]; then echo \"Tutti: neither Slurm's numbers of "
      "nodes and ranks nor TUTTI_NODES and TUTTI_RANKS are set: the library picks by itself\" >&2; fi\n"
      "if [ \"$tutti_ranks\" -eq $((tutti_nodes * 1)) ] && [ \"$tutti_nodes\" -ge 4 ] && [ \"$tutti_nodes\" -le 4 ]; "
      "then\n"
      "  export MV2_INTER_ALLGATHER_TUNING=4\n"
      "  export MV2_INTER_ALLREDUCE_TUNING=2\n"
      "  export MV2_ALLTOALL_TUNING=0\n"
      "fi\n"
      "if [ \"$tutti_ranks\" -eq $((tutti_nodes * 2)) ] && [ \"$tutti_nodes\" -ge 4 ] && [ \"$tutti_nodes\" -le "
      "2147483647 ]; then\n"
      "  export MV2_INTER_RED_SCAT_TUNING=2\n"
      "fi\n"
      "unset tutti_nodes tutti_ranks\n");
  EXPECT_EQ(choice_of_file(mvapich, text, 4, 8), "rabenseifner");
  EXPECT_EQ(choice_of_file(mvapich, text, 5, 8), "");
  std::string list = text;
  list.replace(list.find("TUNING=2"), 8, "TUNING=1:0-1024,2:1024-+");
  EXPECT_THROW(mvapich.read(list, "it"), InputError);
  const std::vector<LintFinding> found = lint(mvapich, list, "it");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "unreadable");
  EXPECT_EQ(found[0].line, 10);
}

TEST(Boundaries, OfUccEndATokenBeforeItsEndAndARadixWithIt) {
  const Exporter& ucc = find_exporter("ucc");
  const std::vector<FileRules> rules{
      {allreduce,
       {1, 4},
       4,
       false,
       {rule_of_bytes(0, 65535, "recexch:radix=8"), rule_of_bytes(65536, 65536, "recexch:radix=4"),
        rule_of_bytes(65537, Rule::kUnlimited, "k_reduce_scatter_allgather:radix=8")}},
      {bcast, {1, 4}, 4, false, {rule_of_bytes(0, Rule::kUnlimited, "knomial:radix=4")}}};
  const std::string text = ucc.write(rules, {"a line"});
  EXPECT_EQ(text,
            "# Tutti: for UCC's TL/UCP; CL/HIER comes before it unless UCC_CLS=basic, others may unless "
            "UCC_CL_BASIC_TLS=ucp\n"
            "# UCC reads this file alone, then: no ucc.conf of the site or of the home folder\n"
            "# a line\n"
            "\n"
            "[ppn=1-1 nnodes=4-4]\n"
            "UCC_TL_UCP_ALLREDUCE_KN_RADIX=0-65535:host:8,64K-64K:host:4\n"
            "UCC_TL_UCP_ALLREDUCE_SRA_KN_RADIX=65537-inf:host:8\n"
            "UCC_TL_UCP_BCAST_KN_RADIX=4\n"
            "UCC_TL_UCP_TUNE=allreduce:0-65537:@knomial#allreduce:65537-inf:@sra_knomial#bcast:@knomial\n");
  EXPECT_EQ(choice_of_file(ucc, text, 4, 65535), "recexch:radix=8");
  for (const auto& [radix, is_read] : {std::pair("65535", true), {"65536", false}, {"9223372036854775807", false}}) {
    std::string large = text;
    large.replace(large.find("BCAST_KN_RADIX=4"), 16, std::string("BCAST_KN_RADIX=") + radix);
    if (is_read)
      EXPECT_NO_THROW(ucc.read(large, "it"));
    else
      EXPECT_THROW(ucc.read(large, "it"), InputError) << radix;
  }
  EXPECT_EQ(choice_of_file(ucc, text, 4, 65536), "recexch:radix=4");
  EXPECT_EQ(choice_of_file(ucc, text, 4, 65537), "k_reduce_scatter_allgather:radix=8");
}

TEST(Boundaries, OfOpenMpisJsonArePartOfARangeAndNoEndIsNotWritten) {
  const Exporter& json = find_exporter("open-mpi-json");
  const std::vector<FileRules> rules{
      {allreduce,
       {kOnePerNode, 4},
       FileRules::kNoEnd,
       false,
       {rule_of_bytes(0, 65535, "recursive_doubling"), rule_of_bytes(65536, 65536, "linear"),
        rule_of_bytes(65537, Rule::kUnlimited, "ring")}},
      {allreduce, {kOneNode, 8}, 9, false, {rule_of_bytes(0, Rule::kUnlimited, "ring")}}};
  const std::string text = json.write(rules, {});
  EXPECT_EQ(text, R"({
 "rule_file_version": 3,
 "module": "tuned",
 "collectives": {
  "allreduce": [
   {
    "comm_size_min": 4,
    "comm_rank_distribution": "one-per-node",
    "rules": [
     {
      "msg_size_min": 0,
      "msg_size_max": 65535,
      "alg": 3
     },
     {
      "msg_size_min": 65536,
      "msg_size_max": 65536,
      "alg": 1
     },
     {
      "msg_size_min": 65537,
      "msg_size_max": "inf",
      "alg": 4
     }
    ]
   },
   {
    "comm_size_min": 8,
    "comm_size_max": 9,
    "comm_rank_distribution": "single-node",
    "rules": [
     {
      "msg_size_min": 0,
      "msg_size_max": "inf",
      "alg": 4
     }
    ]
   }
  ]
 }
}
)");
  EXPECT_EQ(choice_of_file(json, text, 4, 65535), "recursive_doubling");
  EXPECT_EQ(choice_of_file(json, text, 4, 65536), "linear");
  EXPECT_EQ(choice_of_file(json, text, 5, 65537), "ring");
  EXPECT_EQ(choice_of_file(json, text, 3, 65537), "");
}

TEST(RulesOfLayouts, OnUnequalNodesServeWhatTheLibraryCompares) {
  const auto said = [](const char* form, int ranks, const RanksOnNodes& on) {
    const Exporter& exporter = find_exporter(form);
    const FileRules rules{allreduce, {2, 4}, 4, false, {rule_of_bytes(0, Rule::kUnlimited, "recexch:radix=2")}};
    const FileRules plain{allreduce, {2, 4}, 4, false, {rule_of_bytes(0, Rule::kUnlimited, "recursive_doubling")}};
    const std::string text = exporter.write({exporter.name() == "ucc" ? &rules : &plain, 1}, {});
    return exporter.read(text, "it")->choice(Case{allreduce, ranks, 64, 1}, on).has_value();
  };
  for (const char* form : {"ucc", "intel"}) {
    EXPECT_TRUE(said(form, 8, {4, 2, 2})) << form;
    EXPECT_FALSE(said(form, 7, {4, 2, 1})) << form;
  }
  EXPECT_FALSE(said("ucc", 8, {4, 3, 1})) << "ucc_check_section asks for the least and the most of a node";
  EXPECT_TRUE(said("intel", 8, {4, 3, 1})) << "the shell compares 8 with 4 * 2";
}

TEST(UccFile, HasNoLineThatTheLibraryWouldCut) {
  std::vector<FileRules> rules{{allreduce, {1, 4}, 4, false, {}}};
  std::size_t longest = 0;
  for (std::int64_t i = 0; i < 1000; ++i) {
    rules[0].rules.push_back(rule_of_bytes(i, i, i % 2 ? "recexch:radix=2" : "k_reduce_scatter_allgather:radix=4"));
    try {
      const std::string text = find_exporter("ucc").write(rules, {std::string(150, 'x') + " " + std::string(150, 'y')});
      for (const std::string& line : lines_that_begin(text, "#")) EXPECT_LE(line.size(), 198u);
      EXPECT_TRUE(text.find("\n# " + std::string(150, 'y') + "\n") != std::string::npos);
      longest = 0;
      for (const std::string& line : lines_that_begin(text, "UCC")) longest = std::max(longest, line.size());
      EXPECT_LE(longest, 498u);
    } catch (const InputError& error) {
      EXPECT_GT(longest, 498u - 40);
      EXPECT_TRUE(
          std::string(error.what()).starts_with("UCC up to 1.8 reads lines of at most 498 characters: UCC_TL_UCP_TUNE"))
          << error.what();
      return;
    }
  }
  FAIL() << "a line of " << longest;
}

TEST(NcclFile, Has1024NumbersOfNodesOfARangeAndSaysWhichItLeavesOut) {
  const Exporter& nccl = find_exporter("nccl");
  std::vector<FileRules> rules{{allreduce, {1, 2}, 1025, true, {rule_of_bytes(0, Rule::kUnlimited, "ring")}}};
  const std::string whole = nccl.write(rules, {});
  EXPECT_EQ(lines_that_begin(whole, "allreduce,").size(), 1024u);
  EXPECT_EQ(whole.find("no lines"), std::string::npos);
  rules[0].last_size = 1026;
  const std::string text = nccl.write(rules, {});
  ASSERT_EQ(lines_that_begin(text, "allreduce,").size(), 1024u);
  EXPECT_TRUE(lines_that_begin(text, "allreduce,").back().ends_with(",1025,1025"));
  EXPECT_EQ(lines_that_begin(text, "# allreduce").front(),
            "# allreduce on 2 to 1026 nodes of 1 ranks: no lines from 1026 nodes on, which are left to NCCL");
}

TEST(NcclFile, DoesNotPromiseRulesAboveTheLargest) {
  Table table;
  table.machine = "a-machine", table.engine = "fast", table.mode = "isolated", table.placement = "block";
  table.cells = {{{allreduce, 4, 1}, 8, {{"ring", 1e-6}}, {}}};
  derive_rules(table);
  const ExportOptions extended{std::nullopt, true};
  const auto says = [&](const char* target, const char* words) {
    return export_table(table, find_exporter(target), extended).text.find(words) != std::string::npos;
  };
  EXPECT_TRUE(says("nccl", "numbers above the largest are left to the library"));
  EXPECT_FALSE(says("nccl", "numbers above the largest what that one has"));
}

TEST(MpichFile, TellsPowersOfTwoFromOtherNumbersOfARangeWhereTheChoiceIsAnotherThere) {
  const Exporter& mpich = find_exporter("mpich-json");
  for (const int first : {7, 8}) {
    const std::vector<FileRules> rules{
        {allgather, {1, first}, FileRules::kNoEnd, false, {rule_of_bytes(0, Rule::kUnlimited, "recursive_doubling")}}};
    const auto file = mpich.read(mpich.write(rules, {}), "it");
    const auto at = [&](int ranks) { return file->choice(Case{allgather, ranks, 1 << 20, 1}, evenly(ranks, ranks)); };
    for (const int ranks : {8, 16}) EXPECT_EQ(at(ranks).value().text(), "recursive_doubling") << first;
    for (const int ranks : {9, 15}) EXPECT_EQ(at(ranks).value().text(), "bruck") << first;
  }
}

TEST(MpichFile, AsksForNoFewerRanksThanOne) {
  for (const char* form : {"mpich-json", "mpich-ch4-json"}) {
    const Exporter& mpich = find_exporter(form);
    const std::vector<FileRules> alone{
        {bcast, {1, 1}, 1, false, {rule_of_bytes(0, Rule::kUnlimited, "knomial:radix=2")}},
        {bcast, {2, 3}, 3, false, {rule_of_bytes(0, Rule::kUnlimited, "scatter_ring")}}};
    const std::string text = mpich.write(alone, {});
    EXPECT_EQ(text.find("comm_size<=0"), std::string::npos) << form;
    EXPECT_NE(text.find("comm_size<=5"), std::string::npos) << "fewer than six ranks on nodes with two: MPICH's own";
    EXPECT_TRUE(lint(mpich, text, "it").empty()) << form;
  }
}

TEST(IntelFile, SaysOfSizesOnlyWhereItHasLines) {
  const Exporter& intel = find_exporter("intel");
  EXPECT_NE(intel.cannot_tell(gather).find("all sizes"), std::string::npos);
  for (const Collective none : {reduce_scatter, reduce_scatter_block, scan}) {
    EXPECT_EQ(intel.cannot_tell(none).find("sizes"), std::string::npos) << name_of(none);
    EXPECT_NE(intel.cannot_tell(none), "") << name_of(none);
  }
}

}  // namespace
}  // namespace tutti
