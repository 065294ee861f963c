// What is wrong with a tuning file is found, and nothing else: each kind with its line.
#include "selection/lint.hpp"

#include <gtest/gtest.h>

#include "selection/export.hpp"

namespace tutti {
namespace {

/// "LINE KIND", in order; notes begin with "~".
std::vector<std::string> found(const char* form, const std::string& text) {
  std::vector<std::string> all;
  for (const LintFinding& each : lint(find_exporter(form), text, "it")) {
    EXPECT_FALSE(each.what.empty() || each.matters.empty() || each.fix.empty()) << each.kind;
    all.push_back((each.note ? "~" : "") + std::to_string(each.line) + " " + each.kind);
  }
  return all;
}
using All = std::vector<std::string>;

/// Of one collective: its communicators.
std::string classic(int id, const std::string& communicators, int count = 1) {
  return "1\n" + std::to_string(id) + "\n" + std::to_string(count) + "\n" + communicators;
}
constexpr const char* kOwn = "0\n1\n0 0 0 0\n";
constexpr int kAllgatherId = 0, kAllgathervId = 1, kAlltoallvId = 4, kBarrierId = 6, kBcastId = 7, kScanId = 14;

TEST(LintOpenMpi, FindsNothingInARightFile) {
  EXPECT_EQ(found("open-mpi-classic", classic(kBcastId, std::string(kOwn) + "8\n2\n0 1 0 0\n4096 3 0 8192\n", 2)),
            All{});
  EXPECT_EQ(found("open-mpi-classic", classic(kBcastId, "2\n1\n0 1 0 0\n")), All{}) << "one rank has nothing to do";
}

TEST(LintOpenMpi, FindsNumbersThatTheVersionDoesNotHave) {
  const std::string sparbit = classic(kAllgatherId, std::string(kOwn) + "8\n1\n0 7 0 0\n", 2);
  EXPECT_EQ(found("open-mpi-classic", sparbit), All{"9 unknown"});
  EXPECT_NE(lint(find_exporter("open-mpi-classic"), sparbit, "it")[0].what.find("Open MPI 5.0 has it"),
            std::string::npos);
  EXPECT_EQ(found("open-mpi-classic-5.0", sparbit), All{});
  EXPECT_EQ(found("open-mpi-classic", classic(kBcastId, "0\n2\n0 10 0 0\n8 1 0 0\n")), All{"6 unknown"});
}

TEST(LintOpenMpi, FindsWhatOrderDecides) {
  EXPECT_EQ(found("open-mpi-classic", classic(kBcastId, "0\n1\n0 1 0 0\n8\n1\n0 6 0 0\n4\n1\n0 5 0 0\n", 3)),
            All{"10 overlap"});
  EXPECT_EQ(found("open-mpi-classic", classic(kBcastId, "0\n3\n0 1 0 0\n8192 6 0 0\n4096 5 0 0\n")), All{"8 overlap"});
  EXPECT_EQ(found("open-mpi-classic", "2\n7\n1\n0\n1\n0 1 0 0\n7\n1\n0\n1\n0 6 0 0\n"), All{"7 overlap"});
}

TEST(LintOpenMpi, FindsGapsAndRulesThatNobodyReads) {
  EXPECT_EQ(found("open-mpi-classic", classic(kBcastId, "8\n1\n0 1 0 0\n")), All{"4 gap"});
  EXPECT_EQ(found("open-mpi-classic", classic(kBcastId, "0\n1\n64 1 0 0\n")), All{"6 gap"});
  EXPECT_EQ(found("open-mpi-classic", classic(10, "0\n1\n0 1 0 0\n")), All{"2 ignored"});
  EXPECT_EQ(found("open-mpi-classic", classic(5, "0\n1\n0 1 0 0\n")), All{"2 ignored"});
  EXPECT_EQ(found("open-mpi-classic", classic(kAllgathervId, "0\n2\n0 1 0 0\n4 9 0 0\n")), All{"7 unknown"});
  EXPECT_EQ(found("open-mpi-classic", classic(kAlltoallvId, "0\n2\n0 1 0 0\n1024 2 0 0\n")), All{"7 dead"});
  EXPECT_EQ(found("open-mpi-classic", classic(kBarrierId, "0\n2\n0 1 0 0\n1024 4 0 0\n")), All{"7 dead"});
  EXPECT_EQ(found("open-mpi-classic", classic(99, kOwn)), All{"2 unreadable"});
  EXPECT_EQ(found("open-mpi-classic", classic(kBcastId, "0\n1\n0 1 0\n")), All{"6 unreadable"});
  EXPECT_EQ(found("open-mpi", classic(kBcastId, "0\n1\n0 1 0 0\n")), All{"6 ignored"}) << "coll/han comes first";
  EXPECT_EQ(found("open-mpi", classic(3, "0\n1\n0 1 0 0\n")), All{}) << "coll/han has no alltoall";
}

TEST(LintOpenMpi, FindsUnitsThatAreMistaken) {
  EXPECT_EQ(
      found("open-mpi-classic", classic(kAllgatherId, std::string(kOwn) + "64\n3\n0 1 0 0\n8 2 0 0\n64 4 0 0\n", 2)),
      All{"10 unit"})
      << "no allgather of 64 and more ranks has 8 to 63 bytes in all";
  EXPECT_EQ(found("open-mpi-classic", classic(kBcastId, std::string(kOwn) + "64\n3\n0 1 0 0\n8 6 0 0\n64 4 0 0\n", 2)),
            All{});
  EXPECT_EQ(found("open-mpi-classic", classic(kScanId, "0\n2\n0 1 0 0\n1024 2 0 0\n")), All{"7 unit"});
  EXPECT_EQ(found("open-mpi-classic", classic(kBcastId, "0\n1\n0 3 0 8\n")), All{"6 unit"}) << "segments of 8 bytes";
  const std::string same = "3\n0 1 0 0\n1024 2 0 0\n65536 4 0 0\n";
  const std::string copied = classic(kAllgatherId, std::string(kOwn) + "4\n" + same + "8\n" + same + "16\n" + same, 4);
  EXPECT_EQ(found("open-mpi-classic", copied), All{"6 unit"});
  EXPECT_EQ(found("open-mpi-classic", "# Tutti: rules for Open MPI 4.1\n" + copied), All{}) << "it converted them";
  EXPECT_EQ(found("open-mpi-classic", classic(kBcastId, std::string(kOwn) + "010\n1\n0 1 0 0\n", 2)), All{"7 number"});
}

TEST(LintOpenMpi, ReadsOnWhereTheLibraryDoesAndSaysWhatItReads) {
  const char* form = "open-mpi-classic";
  const std::string suffix = classic(kBcastId, "0\n2\n0 1 0 0\n64K 3 0 8192\n");
  EXPECT_EQ(found(form, suffix), All{"7 number"});
  EXPECT_EQ(lint(find_exporter(form), suffix, "it")[0].what, "64K is read as 64");
  EXPECT_EQ(found(form, classic(kBcastId, "0\n2\n0, 1, 0, 0\n4096 3 0 8192\n")),
            (All{"6 number", "6 number", "6 number"}));
  EXPECT_EQ(found(form, classic(kBcastId, "0\n1\nbytes 0 1 0 0\n")), All{"6 number"});
  EXPECT_EQ(found(form, classic(kBcastId, "0\n1\n0x0 1 0 0\n")), All{"6 number"});
  EXPECT_EQ(found(form, classic(kBcastId, "0\n1\n0 -1 0 0\n")), All{"6 unreadable"});
  EXPECT_EQ(found(form, classic(kBcastId, "0\n1\n0 1 0 0\n8 2 0 0\n")), All{"7 ignored"});
  EXPECT_EQ(found(form, classic(kBcastId, "0\n1\n0 1 0 0")), All{"~6 number"}) << "it may be cut";
  for (const std::string& nothing : {std::string("0\n"), classic(kBcastId, "", 0), classic(kBcastId, "0\n0\n")})
    EXPECT_EQ(found(form, nothing), All{}) << nothing;
  const std::string second = "rule-file-version-2\n" + classic(3, "0\n2\n0 1 0 0 0\n8 2 0 0\n");
  EXPECT_EQ(found("open-mpi-classic-5.0", second), All{"~1 ignored"});
  EXPECT_EQ(found(form, second), All{"1 unreadable"}) << "4.1 takes -2 for the number of collectives";
}

TEST(LintOpenMpi, FindsWhatCannotRunAndWhatChangesNothing) {
  EXPECT_EQ(found("open-mpi-classic", classic(kBcastId, "0\n1\n0 2 64 0\n")), All{"6 parameter"})
      << "32 chains at most";
  EXPECT_EQ(found("open-mpi-classic", classic(kAllgatherId, std::string(kOwn) + "3\n1\n0 6 0 0\n", 2)),
            All{"9 cannot-run"});
  EXPECT_EQ(found("open-mpi-classic", classic(kAllgatherId, std::string(kOwn) + "2\n1\n0 6 0 0\n", 2)),
            All{"~9 cannot-run"})
      << "for some of its ranks";
  EXPECT_EQ(found("open-mpi-classic", classic(kBcastId, "0\n1\n0 1 0 8192\n")), All{"~6 parameter"});
}

std::string json_rule(const char* collective, const char* communicators) {
  return std::string("{\"rule_file_version\":3,\"module\":\"tuned\",\"collectives\":{\"") + collective + "\":[\n" +
         communicators + "\n]}}\n";
}

TEST(LintOpenMpiJson, ReadsOnWhereTheLibraryDoes) {
  const char* form = "open-mpi-json";
  const char* all = "{\"rules\":[\n{\"alg\":1}]}";
  EXPECT_EQ(found(form, json_rule("bcast", all)), All{});
  EXPECT_EQ(found(form, std::string("{\"collectives\":{\"bcast\":[\n") + all + "]}}\n"),
            (All{"~1 ignored", "~1 ignored"}))
      << "its reader asks for neither version nor module";
  EXPECT_EQ(found(form, json_rule("bcast", "{\"rules\":[\n{\"alg\":1,\n\"segsize\":8}]}")), All{"4 ignored"});
  EXPECT_EQ(found(form, json_rule("bcast", "{\"comm_rank_distribution\":\n\"all\",\"rules\":[\n{\"alg\":1}]}")),
            All{"2 unknown"});
  EXPECT_EQ(found(form, json_rule("bcast", "{\"comm_size_max\":\"inf\",\"rules\":[\n{\"alg\":1}]}")), All{"2 dead"});
  EXPECT_EQ(found(form, json_rule("bcast", "{\"comm_size_min\":-5,\"rules\":[\n{\"alg\":1}]}")), All{"2 ignored"});
  EXPECT_EQ(found(form, json_rule("bcast", "{\"rules\":[\n{\"msg_size_max\":\"infinite\",\"alg\":1}]}")), All{});
  EXPECT_EQ(found(form, json_rule("bcast", "{\"rules\":[\n{\"seg_size\":8}]}")), All{"3 unknown"});
  EXPECT_EQ(found(form, json_rule("bcast", "{\"rules\":[\n{\"alg\":1.5}]}")), All{"3 unreadable"});

  const Case c{Collective::bcast, 8, 64, 1};
  const auto choice = [&](const char* communicators) {
    return find_exporter(form).read(json_rule("bcast", communicators), "it")->choice(c, {8, 1, 1});
  };
  EXPECT_TRUE(choice("{\"comm_size_max\":8,\"rules\":[\n{\"alg\":1}]}"));
  EXPECT_FALSE(choice("{\"comm_size_max\":\"inf\",\"rules\":[\n{\"alg\":1}]}")) << "it takes that for -1";
}

TEST(LintOpenMpiJson, FindsCommunicatorsAndRulesThatAreNeverReached) {
  const char* form = "open-mpi-json";
  EXPECT_EQ(
      found(form, json_rule("bcast", "{\"rules\":[\n{\"alg\":1}]},\n{\"comm_size_min\":8,\"rules\":[\n{\"alg\":6}]}")),
      All{"5 dead"});
  EXPECT_EQ(found(form, json_rule("bcast", "{\"rules\":[\n{\"alg\":1}]},\n{\"rules\":[\n{\"alg\":6}]}")),
            All{"5 fall-back"});
  EXPECT_EQ(
      found(form, json_rule("bcast", "{\"comm_size_max\":7,\"rules\":[\n{\"alg\":1}]},\n{\"rules\":[\n{\"alg\":6}]}")),
      All{});
  EXPECT_EQ(
      found(form, json_rule("bcast",
                            "{\"rules\":[\n{\"msg_size_max\":4096,\"alg\":1},\n{\"msg_size_min\":4096,\"msg_size_max\":"
                            "9000,\"alg\":6},\n{\"alg\":5}]}")),
      All{"4 overlap"})
      << "both serve 4096 bytes; the last serves what is left";
  EXPECT_EQ(
      found(form, json_rule("bcast",
                            "{\"rules\":[\n{\"msg_size_max\":4095,\"alg\":1},\n{\"msg_size_min\":4097,\"alg\":6}]}")),
      All{"4 gap"});
  EXPECT_EQ(
      found(form, json_rule("bcast",
                            "{\"rules\":[\n{\"msg_size_max\":4095,\"alg\":1},\n{\"msg_size_min\":65536,\"alg\":6}]}")),
      All{"~4 gap"})
      << "so wide it may be meant";
  EXPECT_EQ(
      found(form, json_rule("bcast",
                            "{\"rules\":[\n{\"msg_size_max\":64000,\"alg\":1},\n{\"msg_size_min\":65536,\"alg\":6}]}")),
      All{"4 gap"})
      << "a K of 1000";
  EXPECT_EQ(found(form, json_rule("bcast", "{\"rules\":[\n{\"alg\":77}]}")), All{"3 unknown"});
  EXPECT_EQ(found(form, json_rule("bcast", "{\"rules\":[\n{\"msg_size_min\":9,\"msg_size_max\":8,\"alg\":1}]}")),
            All{"3 dead"});
}

TEST(LintOpenMpiJson, ReadsNamesAsNumbersAndLeavesOutARuleWhoseNameTheLibraryLacks) {
  const char* form = "open-mpi-json";
  const auto rule = [](const char* alg) {
    return json_rule("bcast", ("{\"rules\":[\n{\"alg\":" + std::string(alg) + "}]}").c_str());
  };
  const Case c{Collective::bcast, 8, 1 << 20, 1};
  const auto runs = [&](const std::string& text) {
    return find_exporter(form).read(text, "it")->choice(c, evenly(8, 8)).value().text();
  };
  for (const char* name : {"\"pipeline\"", "\"PIPELINE\"", "\"3\""}) {
    EXPECT_EQ(found(form, rule(name)), All{}) << name;
    EXPECT_EQ(runs(rule(name)), runs(rule("3"))) << name;
  }
  EXPECT_EQ(runs(rule("\"binary_tree\"")), runs(rule("5"))) << "the library's name, not ours";
  EXPECT_EQ(found(form, rule("\"ignore\"")), All{});
  EXPECT_EQ(found(form, rule("\"binary\"")), All{"3 unknown"});
  EXPECT_EQ(found(form, rule("-1")), All{"3 unknown"});
  EXPECT_EQ(found(form, rule("1.5")), All{"3 unreadable"});
  EXPECT_EQ(found(form, json_rule("bcast", "{\"rules\":[\n{\"alg\":\"foo\"},\n{\"alg\":6}]}")), All{"3 unknown"})
      << "what comes after is reached";
  EXPECT_EQ(found(form, json_rule("reduce", "{\"rules\":[\n{\"alg\":\"knomial\"}]}")), All{"~3 unknown"})
      << "the library's, and none of ours";
}

TEST(LintOpenMpiJson, KnowsCollectivesByTheNamesOfTheLibrarysReaderAndSaysWhichAreTheSchemasAlone) {
  const Exporter& json = find_exporter("open-mpi-json");
  for (const auto& [name, of_schema] :
       {std::pair{"reduce_scatter", "reducescatter"}, {"reduce_scatter_block", "reducescatterblock"}}) {
    EXPECT_EQ(found("open-mpi-json", json_rule(name, "{\"rules\":[\n{\"alg\":4}]}")), All{}) << name;
    EXPECT_EQ(found("open-mpi-json", json_rule(of_schema, "{\"rules\":[\n{\"alg\":4}]}")), All{"1 unknown"}) << name;
  }
  FileRules rules{Collective::reduce_scatter, {kMixed, 4}, 4, false, {}};
  rules.rules.push_back({});
  rules.rules.back().algorithm = "ring", rules.rules.back().to_bytes = Rule::kUnlimited;
  EXPECT_NE(json.write(std::vector{rules}, {}).find("\"reduce_scatter\":"), std::string::npos);
}

TEST(LintNccl, FindsLinesThatAreNeverReached) {
  EXPECT_EQ(found("nccl", "allreduce,0,65535,ring,simple,-1,-1,-1\nallreduce,65536,1048576,ring,simple,-1,4,16\n"),
            All{});
  EXPECT_EQ(found("nccl", "allgather,0,1048576,ring,simple,-1,-1,-1\nallgather,0,4096,pat,simple,-1,4,16\n"),
            All{"2 dead"});
  EXPECT_EQ(found("nccl", "allgather,0,4096,ring,simple,-1,4,16\nallgather,4096,8192,pat,simple,-1,4,16\n"),
            All{"2 overlap"});
  EXPECT_EQ(found("nccl", "allreduce,0,4096,ring,simple,-1,16,4\n"), All{"1 dead"}) << "16 nodes with 4 ranks";
  EXPECT_EQ(found("nccl", "allreduce,0,4096,tree,simple,-1,4,16\nallreduce,4097,8192,treee,lll,-1,4,16\n"),
            (All{"~1 unknown", "2 unknown", "2 unknown"}));
}

TEST(LintUcc, FindsSectionsThatLuckDecides) {
  const std::string bcast = "UCC_TL_UCP_BCAST_KN_RADIX=4\nUCC_TL_UCP_TUNE=bcast:0-inf:@knomial\n";
  const std::string other = "UCC_TL_UCP_BCAST_KN_RADIX=8\nUCC_TL_UCP_TUNE=bcast:0-inf:@knomial\n";
  EXPECT_EQ(found("ucc", "[team_size=2-8]\n" + bcast + "[team_size=9-16]\n" + other), All{});
  EXPECT_EQ(found("ucc", "[team_size=2-8]\n" + bcast + "[team_size=8-16]\n" + other), All{"6 overlap"});
  EXPECT_EQ(found("ucc", "[team_size=2-8]\n" + bcast + "[ppn=2-2 nnodes=2-4]\n" + other), All{"6 overlap"});
  EXPECT_EQ(found("ucc", "[team_size=2-8]\n" + bcast + "[ppn=2-2 nnodes=9-10]\n" + other), All{});
  EXPECT_EQ(found("ucc", "[team_size=2-8]\nUCC_TL_UCP_TUNE=bcast:0-4k:@knomial#bcast:0-inf:@knomial\n"), All{"2 dead"})
      << "later tokens win";
  EXPECT_EQ(found("ucc", "[team_size=2-8]\nUCC_TL_UCP_TUNE=bcast:0-4k:@knomail\n"), All{"2 unknown"});
  EXPECT_EQ(found("ucc", "[team_size=2-8]\nUCC_TL_UCP_BCAST_KN_RADIX=1\nUCC_TL_UCP_TUNE=bcast:0-inf:@knomial\n"),
            All{"3 parameter"});
}

TEST(LintIntel, FindsListsThatDoNotCoverAllSizesAndNumbersThatAreUnknown) {
  const auto file = [](const std::string& list) {
    return "tutti_nodes=${TUTTI_NODES:-${SLURM_JOB_NUM_NODES:-0}}\ntutti_ranks=${TUTTI_RANKS:-${SLURM_NTASKS:-0}}\n"
           "if [ \"$tutti_ranks\" -eq $((tutti_nodes * 2)) ] && [ \"$tutti_nodes\" -ge 4 ] && [ \"$tutti_nodes\" -le 8 "
           "]; then\n"
           "  export I_MPI_ADJUST_BCAST='" +
           list + "'\nfi\n";
  };
  EXPECT_EQ(found("intel", file("1:0-1023;3:1024-2147483647")), All{});
  EXPECT_EQ(found("intel", file("1:0-1023;3:2048-2147483647")), (All{"4 gap", "~4 gap"}));
  EXPECT_EQ(found("intel", file("1:0-1024;3:1024-2147483647")), (All{"4 overlap", "4 overlap"}));
  EXPECT_EQ(found("intel", file("99")), All{"4 unknown"});
}

std::string mpich_with(const std::string& bcast) {
  const Exporter& mpich = find_exporter("mpich-json");
  FileRules any{Collective::allreduce, {1, 4}, 4, false, {}};
  Rule rule;
  rule.algorithm = "recursive_doubling", rule.from_bytes = 0, rule.to_bytes = Rule::kUnlimited;
  any.rules.push_back(rule);
  std::string text = mpich.write(std::vector{any}, {});
  const std::size_t at = text.find("\"collective=bcast\":"), begin = text.find('{', at);
  std::size_t end = begin;
  for (int depth = 0; depth > 0 || end == begin; ++end) depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
  return text.replace(begin, end - begin, bcast);
}

/// Kinds alone: what stands where follows from the default before it.
std::vector<std::string> kinds(const std::string& bcast) {
  std::vector<std::string> all;
  for (const LintFinding& each : lint(find_exporter("mpich-json"), mpich_with(bcast), "it")) all.push_back(each.kind);
  return all;
}

TEST(LintMpich, FindsAByteOrderMarkAtWhichTheLibraryStops) {
  const std::string text = mpich_with(R"({"algorithm=MPIR_Bcast_intra_binomial":{}})");
  EXPECT_EQ(found("mpich-json", text), All{});
  EXPECT_EQ(found("mpich-json", "\xEF\xBB\xBF" + text), All{"1 unreadable"});
}

TEST(LintMpich, FindsBranchesThatNoCallEnters) {
  const std::string binomial = R"({"algorithm=MPIR_Bcast_intra_binomial":{}})",
                    ring = R"({"algorithm=MPIR_Bcast_intra_scatter_ring_allgather":{}})";
  EXPECT_EQ(kinds(R"({"comm_size<=8":)" + binomial + R"(,"comm_size=any":)" + ring + "}"), All{});
  EXPECT_EQ(
      kinds(R"({"comm_size<=8":)" + binomial + R"(,"comm_size<=4":)" + ring + R"(,"comm_size=any":)" + ring + "}"),
      All{"dead"});
  EXPECT_EQ(kinds(R"({"comm_size<=8":{"comm_size<=16":)" + binomial + R"(,"comm_size=any":)" + ring +
                  R"(},"comm_size=any":)" + ring + "}"),
            All{"dead"})
      << "after what always holds: a note";
  EXPECT_EQ(kinds(R"({"comm_size=any":)" + binomial + R"(,"avg_msg_size=any":)" + ring + "}"), All{"fall-back"});
  EXPECT_EQ(kinds(R"({"comm_hierarchy=parent":{"comm_hierarchy=node":)" + binomial + R"(,"comm_hierarchy=any":)" +
                  ring + R"(},"comm_hierarchy=any":)" + ring + "}"),
            All{"dead"});
}

TEST(LintMpich, FindsSizesThatAreCountedInOtherWaysAndNamesThatAreUnknown) {
  const std::string binomial = R"({"algorithm=MPIR_Bcast_intra_binomial":{}})";
  EXPECT_EQ(kinds(R"({"total_msg_size<=1024":)" + binomial + R"(,"total_msg_size=any":)" + binomial + "}"),
            All{"unit"});
  EXPECT_EQ(kinds(R"({"avg_msg_size<=1024":)" + binomial + R"(,"avg_msg_size=any":)" + binomial + "}"), All{});
  EXPECT_EQ(kinds(R"({"algorithm=MPIR_Bcast_intra_bionmial":{}})"), All{"unknown"});
  EXPECT_EQ(kinds(R"({"algorithm=MPIR_Bcast_intra_tree":{"tree_type=kary":{},"k=0":{},"is_non_blocking=1":{}}})"),
            All{"parameter"});
  EXPECT_EQ(kinds(R"({"comm_size<=8":)" + binomial + "}"), All{"unreadable"}) << "nothing holds always";
}

}  // namespace
}  // namespace tutti
