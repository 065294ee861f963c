#include <gtest/gtest.h>

#include "base/error.hpp"
#include "selection/baselines.hpp"
#include "selection/library.hpp"
#include "selection/own_parts.hpp"

namespace tutti {
namespace {

Case a_case(Collective collective, int ranks, std::int64_t bytes, Operator op = Operator::sum) {
  Case c{.collective = collective, .ranks = ranks, .element_bytes = is_reduction(collective) ? 4 : 1, .op = op};
  c.count = count_for_total_bytes(collective, ranks, c.element_bytes, bytes);
  return c;
}

std::string picked(const char* baseline, Collective collective, int ranks, std::int64_t bytes,
                   Operator op = Operator::sum) {
  return pick(find_baseline(baseline), a_case(collective, ranks, bytes, op), evenly(ranks, ranks)).choice.text();
}

TEST(Baselines, EveryChoiceCanRunAndAllButOneLibraryHaveOneForEveryCase) {
  for (const std::string& name : baseline_names())
    for (const auto& [collective, rules] : find_baseline(name).collectives)
      for (const int ranks : {1,  2,  3,   4,   5,   7,   8,   9,   13,  16,  31,   32,   33,   63,   64,  65,
                              67, 96, 127, 128, 129, 255, 256, 257, 511, 512, 1023, 1024, 2048, 4095, 4096})
        for (std::int64_t bytes = 0; bytes < (std::int64_t{1} << 36); bytes = bytes * 3 / 4 * 4 + 4)
          for (const Operator op : {Operator::sum, Operator::user_commutative, Operator::user})
            for (const bool in_place : {false, true})
              for (const int nodes : {1, (ranks + 1) / 2, ranks}) {
                if (is_of_neighbors(collective) || (in_place && collective == Collective::alltoallv)) continue;
                Case c = a_case(collective, ranks, bytes, op);
                c.in_place = in_place;
                const auto found = pick_if_ours(find_baseline(name), c, evenly(nodes, c.ranks));
                ASSERT_TRUE(found || name == "mvapich2-2.3") << "the others run algorithms of ours alone";
                if (!found) continue;
                ASSERT_EQ(why_not(found->choice, c), "") << name << " " << found->choice.algorithm->full_name() << " "
                                                         << ranks << " ranks, " << bytes << " bytes";
              }
}

TEST(Baselines, OpenMpiLooksUpBytesOfTheVectorOrOfABlockAndItsThresholdsAreExclusive) {
  const char* open_mpi = "open-mpi-4.1";
  EXPECT_EQ(picked(open_mpi, Collective::allreduce, 16, 4092), "recursive_doubling");
  EXPECT_EQ(picked(open_mpi, Collective::allreduce, 16, 4096), "rabenseifner");
  EXPECT_EQ(picked(open_mpi, Collective::allreduce, 15, 4096), "recursive_doubling");
  EXPECT_EQ(picked(open_mpi, Collective::allgather, 32, std::int64_t{32} * 1023), "recursive_doubling") << "by a block";
  EXPECT_EQ(picked(open_mpi, Collective::allgather, 32, std::int64_t{32} * 1024), "neighbor_exchange");
  EXPECT_EQ(picked(open_mpi, Collective::allgather, 32, std::int64_t{32} * 65536), "ring");
  EXPECT_EQ(picked(open_mpi, Collective::allgather, 2, 1 << 20), "two_proc");
  EXPECT_EQ(picked(open_mpi, Collective::alltoall, 64, std::int64_t{64} * 1023), "bruck");
  EXPECT_EQ(picked(open_mpi, Collective::alltoall, 64, std::int64_t{64} * 1024), "linear");
  EXPECT_EQ(picked(open_mpi, Collective::reduce_scatter, 8, (256 << 10) - 4), "recursive_halving") << "by the vector";
  EXPECT_EQ(picked(open_mpi, Collective::reduce_scatter, 8, 256 << 10), "ring");
  EXPECT_EQ(picked(open_mpi, Collective::reduce_scatter_block, 8, std::int64_t{8} * 128), "recursive_halving")
      << "by a block";
  EXPECT_EQ(picked(open_mpi, Collective::reduce_scatter_block, 8, std::int64_t{8} * 124), "butterfly");
  EXPECT_EQ(picked(open_mpi, Collective::bcast, 3, 131072), "chain:fanout=1") << "a fan-out of 0 is one of 1";
  EXPECT_EQ(picked(open_mpi, Collective::barrier, 63, 0), "recursive_doubling");
  EXPECT_EQ(picked(open_mpi, Collective::barrier, 64, 0), "bruck");
  EXPECT_EQ(picked(open_mpi, Collective::scan, 1000, 8), "linear");
  const Case ring = a_case(Collective::allreduce, 3, 65536);
  EXPECT_EQ(resolve(pick(find_baseline(open_mpi), ring, evenly(3, 3)).choice, ring).text(), "ring")
      << "its segmented ring without segments is the ring";
}

/// Of these counts, of bytes.
std::string picked_for(const char* baseline, Collective collective, const std::vector<Count>& counts,
                       std::int32_t element_bytes = 1) {
  const int ranks = static_cast<int>(counts.size());
  Case c{.collective = collective, .ranks = ranks, .element_bytes = element_bytes};
  c = with_counts(c, std::make_shared<BlockCounts>(counts));
  return pick(find_baseline(baseline), c, evenly(ranks, ranks)).choice.text();
}

TEST(Baselines, OfUnequalBlocksOpenMpiLooksUpTheMeanRoundedDownAndMpichTheSum) {
  EXPECT_EQ(picked_for("open-mpi-4.1", Collective::allgatherv, {767, 0, 0}), "gather_bcast:bcast=7");  // mean 255
  EXPECT_EQ(picked_for("open-mpi-4.1", Collective::allgatherv, {768, 0, 0}), "neighbor_exchange");
  // Of bytes, not of elements: 64 of 12 bytes are 256 for each of 3 ranks, of whole elements 252.
  EXPECT_EQ(picked_for("open-mpi-4.1", Collective::allgatherv, {64, 0, 0}, 12), "neighbor_exchange");
  EXPECT_EQ(picked_for("open-mpi-4.1", Collective::allgatherv, {63, 0, 0}, 12), "gather_bcast:bcast=7");
  EXPECT_EQ(picked_for("open-mpi-5.0", Collective::allgatherv, {1281, 0, 0, 0, 0}), "neighbor_exchange");
  EXPECT_EQ(picked_for("mpich", Collective::allgatherv, {81919, 0, 0}), "bruck");
  EXPECT_EQ(picked_for("mpich", Collective::allgatherv, {0, 1, 81919}), "segmented_ring");
  EXPECT_EQ(picked_for("mpich-5.0", Collective::allgatherv, {0, 0, 0, 524287}), "recursive_doubling");
}

TEST(Baselines, OfAReduceScatterOfUnequalBlocksTheSumIsLookedUpAndMpichAsksWhetherTheyAreEqual) {
  EXPECT_EQ(picked_for("open-mpi-4.1", Collective::reduce_scatter, {0, (64 << 10) - 1, 0, 0, 0, 0, 0, 0}, 4),
            picked("open-mpi-4.1", Collective::reduce_scatter, 8, (256 << 10) - 4));
  Case c{.collective = Collective::reduce_scatter, .ranks = 4, .count = 400, .element_bytes = 4, .op = Operator::user};
  const auto by_mpich = [&] { return pick(find_baseline("mpich"), c, evenly(4, 4)).choice.text(); };
  EXPECT_EQ(by_mpich(), "noncommutative");
  c = with_counts(c, "as:1:0:0:7", 400);
  EXPECT_EQ(by_mpich(), "recursive_doubling") << "though 4 divides 400";
}

TEST(Baselines, OfAlltoallvOpenMpiKnowsTheRanksAlone) {
  for (const auto& [ranks, choice] : {std::pair(3, "pairwise"),
                                      {4, "linear"},
                                      {63, "linear"},
                                      {64, "pairwise"},
                                      {127, "pairwise"},
                                      {128, "linear"},
                                      {256, "pairwise"},
                                      {1024, "linear"}})
    for (const std::int64_t bytes : {0, 1 << 20})
      EXPECT_EQ(picked("open-mpi-4.1", Collective::alltoallv, ranks, bytes), choice) << ranks << " ranks";
  EXPECT_EQ(picked("mpich", Collective::alltoallv, 64, 1 << 20), "scattered");
}

TEST(Baselines, WhatIsNotKnownOfALibraryIsNoneOfAnothersRules) {
  EXPECT_THROW(picked("mvapich2-2.3", Collective::allgatherv, 8, 1024), InputError);
  EXPECT_THROW(picked("ucc-1.3", Collective::alltoallv, 8, 1024), InputError);
  EXPECT_EQ(picked("mvapich2-2.3", Collective::neighbor_alltoall, 8, 1024), "linear");
}

TEST(Baselines, OperatorsThatDoNotCommuteHaveRulesOfTheirOwn) {
  EXPECT_EQ(picked("open-mpi-4.1", Collective::allreduce, 200, 1 << 20), "rabenseifner");
  EXPECT_EQ(picked("open-mpi-4.1", Collective::allreduce, 200, 1 << 20, Operator::user),
            "reduce_bcast:reduce=6:bcast=7");
  EXPECT_EQ(picked("open-mpi-4.1", Collective::reduce_scatter, 8, 1 << 20, Operator::user), "non_overlapping:reduce=6");
  EXPECT_EQ(picked("mpich", Collective::allreduce, 8, 1 << 20, Operator::user_commutative), "recursive_doubling");
  EXPECT_EQ(picked("mpich", Collective::reduce_scatter_block, 8, 1 << 20, Operator::user), "noncommutative");
  EXPECT_EQ(picked("mpich", Collective::reduce_scatter_block, 9, 1 << 20, Operator::user), "recursive_doubling");
}

TEST(Baselines, WhatOpenMpiMakesOfOtherCollectivesHasTheAlgorithmsThatItWouldPickForThose) {
  const auto number = [](Collective collective, int ranks, std::int64_t bytes) {
    const Choice part = pick(find_baseline("open-mpi-4.1"), a_case(collective, ranks, bytes), evenly(1, ranks)).choice;
    return std::stol(names_in("Open MPI", *part.algorithm).at("4.1"));
  };
  EXPECT_EQ(picked("open-mpi-4.1", Collective::allreduce, 200, 1024), "reduce_bcast:bcast=5");
  EXPECT_EQ(picked("open-mpi-4.1", Collective::allreduce, 299, 1024), "reduce_bcast:bcast=7");
  EXPECT_EQ(picked("open-mpi-4.1", Collective::reduce_scatter, 4, 4), "non_overlapping:reduce=4");
  for (const int ranks : {2, 5, 9, 16, 300})
    for (const std::int64_t block : {4, 8 << 10, 1 << 17, 1 << 20, 4 << 20}) {
      const std::int64_t all = ranks * block;
      const Choice choice =
          pick(find_baseline("open-mpi-4.1"), a_case(Collective::reduce_scatter_block, ranks, all), evenly(1, ranks))
              .choice;
      if (choice.algorithm->name() != "linear") continue;
      SCOPED_TRACE(std::to_string(ranks) + " ranks, " + choice.text());
      EXPECT_EQ(*Parameters(choice.parameters).find("reduce"), number(Collective::reduce, ranks, all));
      EXPECT_EQ(*Parameters(choice.parameters).find("scatter"), number(Collective::scatter, ranks, all));
    }
  // What coll/han takes from coll/tuned on several nodes, no number of coll/tuned says.
  const auto remark = [](int nodes) {
    const Case c = a_case(Collective::reduce_scatter, 32, 4);
    return pick(find_baseline("open-mpi-5.0"), c, evenly(nodes, 32)).remark;
  };
  EXPECT_NE(remark(4).find("coll/han"), std::string::npos) << remark(4);
  EXPECT_EQ(remark(32), "");
}

TEST(Baselines, WhatUccLeavesToOpenMpiIsWhatThatPicks) {
  for (const auto& [collective, op] : {std::pair(Collective::allreduce, Operator::user_commutative),
                                       {Collective::reduce_scatter, Operator::user},
                                       {Collective::scan, Operator::sum},
                                       {Collective::scatter, Operator::sum}})
    for (const int ranks : {2, 8, 33, 200})
      for (const std::int64_t bytes : {64, 4096, 1 << 20, 16 << 20})
        EXPECT_EQ(picked("ucc-1.3", collective, ranks, bytes, op),
                  picked("open-mpi-4.1", collective, ranks, bytes, op));
}

TEST(Baselines, AnAlltoallInPlaceIsOneAndTheSameOfOpenMpi) {
  Case c = a_case(Collective::alltoall, 8, 65536);
  c.in_place = true;
  for (const char* library : {"open-mpi-4.1", "open-mpi-5.0", "ucc-1.3"})
    EXPECT_EQ(pick(find_baseline(library), c, evenly(8, 8)).choice.text(), "pairwise_in_place") << library;
}

TEST(Baselines, MpichsMapOfBroadcastIsThatOfItsSource) {  // 12,288 and 524,288 bytes, 8 ranks
  for (const std::int64_t bytes : {0, 1, 12287, 12288, 12289, 524287, 524288, 524289, 1 << 22})
    for (int ranks = 1; ranks <= 130; ++ranks) {
      const bool power = (ranks & (ranks - 1)) == 0;
      const char* expected = ranks < 8 || bytes <= 12288 ? "knomial:radix=2"
                             : power && bytes <= 524288  ? "scatter_recursive_doubling"
                                                         : "scatter_ring";
      ASSERT_EQ(picked("mpich", Collective::bcast, ranks, bytes), expected) << ranks << " ranks, " << bytes << " bytes";
    }
}

TEST(Baselines, WhatAChoiceOnlyStandsForIsSaid) {
  const auto remark = [](const char* name, Collective collective, int nodes) {
    return pick(find_baseline(name), a_case(collective, 8, 64), evenly(nodes, 8)).remark;
  };
  EXPECT_EQ(remark("open-mpi-5.0", Collective::bcast, 2), "");
  EXPECT_NE(remark("open-mpi-5.0", Collective::allreduce, 3).find("fewer ranks"), std::string::npos);
  const Case in_order = a_case(Collective::reduce, 8, 64, Operator::user);
  EXPECT_NE(pick(find_baseline("mpich"), in_order, evenly(8, 8)).remark, "");
}

TEST(Baselines, OpenMpi5PutsHanFirstWhereSeveralNodesHaveAsManyRanksEach) {
  const auto picked_on = [](Collective collective, int ranks, int nodes, std::int64_t bytes,
                            Operator op = Operator::sum) {
    return pick(find_baseline("open-mpi-5.0"), a_case(collective, ranks, bytes, op), evenly(nodes, ranks))
        .choice.text();
  };
  const auto inside = [](Collective collective, int ranks, std::int64_t bytes) {  // the number of coll/tuned's pick
    const Case c = a_case(collective, ranks, bytes);
    return std::stol(
        names_in("Open MPI", *pick(find_baseline("open-mpi-4.1"), c, evenly(1, c.ranks)).choice.algorithm).at("5.0"));
  };
  for (const Collective collective : {Collective::allgather, Collective::allreduce, Collective::barrier,
                                      Collective::bcast, Collective::gather, Collective::reduce, Collective::scatter})
    for (const std::int64_t bytes : {0, 64, 1 << 12, 1 << 20}) {
      SCOPED_TRACE(std::string(name_of(collective)) + " " + std::to_string(bytes));
      EXPECT_EQ(picked_on(collective, 32, 4, bytes).substr(0, 3), "han");
      EXPECT_EQ(picked_on(collective, 8, 8, bytes), picked("open-mpi-4.1", collective, 8, bytes)) << "one a node";
      EXPECT_EQ(picked_on(collective, 8, 1, bytes), picked("open-mpi-4.1", collective, 8, bytes)) << "all on one";
      const bool needs_equal = collective != Collective::allreduce && collective != Collective::barrier;
      EXPECT_EQ(picked_on(collective, 31, 4, bytes).starts_with("han"), !needs_equal) << "31 on 4 nodes";
    }
  EXPECT_FALSE(picked_on(Collective::alltoall, 32, 4, 1024).starts_with("han"));
  for (const Collective reduction : {Collective::allreduce, Collective::reduce})
    EXPECT_FALSE(picked_on(reduction, 32, 4, 1024, Operator::user).starts_with("han")) << "it does not commute";
  const Choice large =
      pick(find_baseline("open-mpi-5.0"), a_case(Collective::bcast, 96, 1 << 20), evenly(12, 96)).choice;
  EXPECT_EQ(*Parameters(large.parameters).find("low"), inside(Collective::bcast, 8, 65536));
  EXPECT_EQ(*Parameters(large.parameters).find("up"), inside(Collective::bcast, 12, 65536));
  const Choice gathered =
      pick(find_baseline("open-mpi-5.0"), a_case(Collective::allgather, 96, 96 << 10), evenly(12, 96)).choice;
  const Parameters parameters(gathered.parameters);
  EXPECT_EQ(*parameters.find("gather"), inside(Collective::gather, 8, 8 << 10)) << "a block is 1 KiB";
  EXPECT_EQ(*parameters.find("up"), inside(Collective::allgather, 12, 96 << 10));
  EXPECT_EQ(*parameters.find("bcast"), inside(Collective::bcast, 8, 96 << 10));
}

TEST(Baselines, HansSimpleVariantsRunWholeVectorsOneLevelAfterTheOther) {
  const Baseline& tuned = find_baseline("open-mpi-4.1");
  const auto picked_by = [&](const Case& c, int nodes, HanVariant variant) {
    return pick_of_han(c, evenly(nodes, c.ranks), picks_by_rules(tuned), nullptr, variant);
  };
  const auto inside = [&](Collective collective, int ranks, std::int64_t bytes) {
    const Case c = a_case(collective, ranks, bytes);
    return std::stol(names_in("Open MPI", *pick(tuned, c, evenly(1, ranks)).choice.algorithm).at("5.0"));
  };
  for (const std::int64_t bytes : {64, 1 << 12, 1 << 20}) {
    for (const Collective collective : {Collective::bcast, Collective::reduce}) {
      const Choice choice = picked_by(a_case(collective, 96, bytes), 12, HanVariant::simple)->choice;
      EXPECT_EQ(choice.algorithm->name(), "han_simple");
      EXPECT_EQ(*Parameters(choice.parameters).find("low"), inside(collective, 8, bytes));
      EXPECT_EQ(*Parameters(choice.parameters).find("up"), inside(collective, 12, bytes));
    }
    const Choice all = picked_by(a_case(Collective::allreduce, 96, bytes), 12, HanVariant::simple)->choice;
    EXPECT_EQ(*Parameters(all.parameters).find("reduce"), inside(Collective::reduce, 8, bytes));
    EXPECT_EQ(*Parameters(all.parameters).find("bcast"), inside(Collective::bcast, 8, bytes));
    EXPECT_EQ(*Parameters(all.parameters).find("up"), inside(Collective::allreduce, 12, bytes));
  }
  for (const Collective same : {Collective::allgather, Collective::gather, Collective::scatter}) {
    const Case c = a_case(same, 96, 96 << 10);
    EXPECT_EQ(picked_by(c, 12, HanVariant::simple)->choice, picked_by(c, 12, HanVariant::usual)->choice);
  }
  EXPECT_FALSE(picked_by(a_case(Collective::reduce, 31, 4096), 4, HanVariant::simple)) << "31 on 4 nodes";
}

TEST(Baselines, OpenMpi5CountsTheRanksThatNodesReallyHave) {
  const RanksOnNodes uneven{3, 5, 1};  // as 5 + 3 + 1, of which three on each would be as many ranks
  const Baseline& library = find_baseline("open-mpi-5.0");
  const Case reduce = a_case(Collective::reduce, 9, 72 << 10);
  EXPECT_EQ(pick(library, reduce, evenly(3, 9)).choice.algorithm->name(), "han");
  EXPECT_EQ(pick(library, reduce, uneven).choice.text(), picked("open-mpi-4.1", Collective::reduce, 9, 72 << 10));
  const RanksOnNodes one_full{5, 8, 1};  // 8 + 1 + 1 + 1 + 1
  const Case allreduce = a_case(Collective::allreduce, 12, 64 << 10);
  const BaselinePick parts = pick(library, allreduce, one_full);
  EXPECT_EQ(*Parameters(parts.choice.parameters).find("reduce"),
            std::stol(names_in("Open MPI", *pick(find_baseline("open-mpi-4.1"), a_case(Collective::reduce, 8, 64 << 10),
                                                 evenly(1, 8))
                                                .choice.algorithm)
                          .at("5.0")))
      << "as on the fullest node";
  EXPECT_NE(parts.remark.find("fewer ranks than the fullest, of 8"), std::string::npos) << parts.remark;
}

TEST(Baselines, MpichGoesByNodesWhereSomeHoldSeveralRanksAndScansWhereThereAreSeveralSuch) {
  const auto goes_by_nodes = [](Collective collective, int nodes) {
    return pick(find_baseline("mpich"), a_case(collective, 8, 64), evenly(nodes, 8)).choice.text() == "smp";
  };
  for (const int nodes : {1, 2, 8}) {
    EXPECT_EQ(goes_by_nodes(Collective::scan, nodes), nodes == 2);
    EXPECT_EQ(goes_by_nodes(Collective::barrier, nodes), nodes < 8);
  }
}

TEST(Baselines, MpichTakesEightRanksForFewerInAnAlltoallAlone) {
  EXPECT_EQ(picked("mpich", Collective::alltoall, 8, std::int64_t{8} * 256), "scattered");
  EXPECT_EQ(picked("mpich", Collective::alltoall, 9, std::int64_t{9} * 256), "bruck");
  EXPECT_EQ(picked("mpich", Collective::bcast, 8, 1 << 14), "scatter_recursive_doubling");
}

TEST(Baselines, AnUnknownNameIsRefusedWithTheKnownOnes) {
  EXPECT_EQ(baseline_names(), (std::vector<std::string>{"mpich", "mpich-5.0", "mvapich2-2.3", "open-mpi-4.1",
                                                        "open-mpi-5.0", "open-mpi-5.0-without-han", "ucc-1.3"}));
  try {
    find_baseline("open-mpi");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "unknown default 'open-mpi': expected one of mpich, mpich-5.0, mvapich2-2.3, open-mpi-4.1, open-mpi-5.0, "
        "open-mpi-5.0-without-han, ucc-1.3 (did you mean open-mpi-4.1, open-mpi-5.0 or open-mpi-5.0-without-han?)");
  }
}

TEST(Baselines, ATextThatIsNoneIsRefusedWithItsLine) {
  const auto fault = [](const std::string& rule) {
    try {
      parse_baseline(
          "{\"name\": \"x\", \"description\": \"x\", \"source\": \"x\",\n\"collectives\": {\"bcast\": "
          "{\"bytes_of\": \"total\", \"rules\": [\n" +
              rule + "]}}}",
          "x.json");
      return std::string();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(fault(R"({"use": "binomial"})"), "");
  EXPECT_EQ(fault(R"({"use": "binomial", "by_bytes": [[null, "linear"]]})"),
            "x.json:3: /collectives/bcast/rules/0: expected one of use and by_bytes");
  EXPECT_EQ(fault(R"({"by_bytes": [[8, "linear"], [8, "binomial"]]})"),
            "x.json:3: /collectives/bcast/rules/0/by_bytes/1: expected more bytes than in the step before");
  EXPECT_EQ(fault(R"({"by_bytes": [[8]]})"),
            "x.json:3: /collectives/bcast/rules/0/by_bytes/0: expected [bytes or null, algorithm]");
  EXPECT_NE(fault(R"({"use": "bruck"})").find("x.json:3: /collectives/bcast/rules/0/use: unknown"), std::string::npos)
      << fault(R"({"use": "bruck"})");
  EXPECT_EQ(fault(R"({"use": {"not_ours": "multicast"}})"), "");
  EXPECT_EQ(fault(R"({"use": {"not_ours": ""}})"),
            "x.json:3: /collectives/bcast/rules/0/use: expected an algorithm, not_ours or as");
  EXPECT_EQ(fault(R"({"by_bytes": [[8, {"theirs": "multicast"}]]})"),
            "x.json:3: /collectives/bcast/rules/0/by_bytes/0/1: expected an algorithm, not_ours or as");
  EXPECT_NE(fault(R"({"user": "binomial"})").find("x.json:3: /collectives/bcast/rules/0"), std::string::npos);
}

}  // namespace
}  // namespace tutti
