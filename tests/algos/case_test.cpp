#include "algos/case.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tutti {
namespace {

constexpr Collective kAll[] = {Collective::allgather,
                               Collective::allreduce,
                               Collective::alltoall,
                               Collective::barrier,
                               Collective::bcast,
                               Collective::exscan,
                               Collective::gather,
                               Collective::reduce,
                               Collective::reduce_scatter,
                               Collective::scan,
                               Collective::reduce_scatter_block,
                               Collective::scatter};

Case a_case(Collective collective, int ranks, Count count, bool in_place = false, Rank root = 0) {
  return {collective, ranks, count, default_element_bytes(collective), root, in_place, Operator::sum};
}

TEST(Case, EveryCollectiveHasANameThatLeadsBack) {
  static_assert(std::size(kAll) == kCollectives);
  for (const Collective c : kAll) EXPECT_EQ(collective_named(name_of(c)), c);
  EXPECT_THROW(static_cast<void>(collective_named("alltoallw")), InputError);
}

TEST(Case, TotalIsTheVectorOrAllThatOneRankReceivesOrSends) {
  EXPECT_EQ(total_bytes(a_case(Collective::bcast, 8, 100)), 100);
  EXPECT_EQ(total_bytes(a_case(Collective::allreduce, 8, 100)), 400);
  EXPECT_EQ(total_bytes(a_case(Collective::reduce_scatter, 8, 100)), 400) << "what a rank gives in all";
  EXPECT_EQ(total_bytes(a_case(Collective::reduce_scatter_block, 8, 100)), 3200);
  EXPECT_EQ(total_bytes(a_case(Collective::allgather, 8, 100)), 800);
  EXPECT_EQ(total_bytes(a_case(Collective::scatter, 8, 100)), 800);
  EXPECT_EQ(total_bytes(a_case(Collective::alltoall, 8, 100)), 800);
  EXPECT_EQ(total_bytes(a_case(Collective::barrier, 8, 0)), 0);
}

TEST(Case, CountsAreFlooredToWholeBlocksAndTotalsAreNeverExceeded) {
  EXPECT_EQ(count_for_total_bytes(Collective::allgather, 7, 1, 100), 14);
  EXPECT_EQ(count_for_total_bytes(Collective::alltoall, 3, 8, 100), 4);
  EXPECT_EQ(count_for_total_bytes(Collective::bcast, 7, 1, 100), 100);
  EXPECT_EQ(count_for_total_bytes(Collective::reduce_scatter, 7, 4, 100), 25)
      << "the remainder goes to the first ranks";
  EXPECT_EQ(count_for_total_bytes(Collective::barrier, 7, 1, 100), 0);
  for (const Collective c : kAll)
    for (int p : {1, 2, 3, 7, 64})
      for (std::int64_t bytes = 0; bytes <= 4096; bytes += 4) {
        const std::int32_t element = default_element_bytes(c);
        const Case made = a_case(c, p, count_for_total_bytes(c, p, element, bytes));
        EXPECT_LE(total_bytes(made), bytes);
        if (c != Collective::barrier) {
          EXPECT_GT(total_bytes(a_case(c, p, made.count + 1)), bytes);
        }
      }
}

TEST(Case, CountsBeyondThirtyTwoBitsStayExact) {
  const std::int64_t total = std::int64_t{3} << 40;
  EXPECT_EQ(count_for_total_bytes(Collective::bcast, 3, 1, total), total);
  EXPECT_EQ(total_bytes(a_case(Collective::alltoall, 3, std::int64_t{1} << 40)), total);
  EXPECT_EQ(buffer_sizes(a_case(Collective::allgather, 3, std::int64_t{1} << 40), 0).out, total);
}

TEST(Case, SizesThatWouldOverflowAreRefusedAndNeverWrap) {
  for (const Collective c : kAll) {
    if (c == Collective::barrier) continue;
    EXPECT_EQ(count_for_total_bytes(c, 1, 4, kLargestTotalBytes), kLargestTotalBytes / 4) << name_of(c);
    EXPECT_THROW(static_cast<void>(count_for_total_bytes(c, 1, 4, kLargestTotalBytes + 4)), InputError) << name_of(c);
    EXPECT_THROW(static_cast<void>(count_for_total_bytes(c, 4, 4, std::int64_t{1} << 62)), InputError) << name_of(c);
    EXPECT_THROW(static_cast<void>(total_from_osu_bytes(c, 4, std::int64_t{1} << 62)), InputError) << name_of(c);
    for (const int p : {3, 1 << 20}) {
      const std::int64_t largest = total_from_osu_bytes(c, p, kLargestTotalBytes / p);
      EXPECT_TRUE(largest == kLargestTotalBytes / p * p || largest == kLargestTotalBytes / p) << name_of(c);
      const BufferSizes sizes = buffer_sizes(a_case(c, p, count_for_total_bytes(c, p, 1, largest)), 0);
      EXPECT_GE(std::min(sizes.in, sizes.out), 0) << name_of(c);
      EXPECT_GE(std::max(sizes.in, sizes.out), kLargestTotalBytes / p / p * p) << name_of(c);
    }
  }
  EXPECT_THROW(static_cast<void>(total_from_osu_bytes(Collective::alltoall, 3, kLargestTotalBytes / 3 + 1)),
               InputError);
}

TEST(Case, AFractionOfAnElementIsRefusedWhereBytesAreNoBlocks) {
  for (const Collective c : {Collective::allreduce, Collective::reduce_scatter_block, Collective::bcast})
    EXPECT_THROW(static_cast<void>(count_for_total_bytes(c, 4, 4, 10)), InputError) << name_of(c);
  EXPECT_EQ(count_for_total_bytes(Collective::allgather, 4, 4, 40), 2) << "blocks round down";
}

TEST(Case, OsuPrintsPerRankSizesForGathersAndPerPairForAlltoall) {
  for (const Collective c : kAll) {
    const bool per_block =
        c == Collective::allgather || c == Collective::gather || c == Collective::scatter || c == Collective::alltoall;
    EXPECT_EQ(total_from_osu_bytes(c, 12, 100), c == Collective::barrier ? 0 : per_block ? 1200 : 100) << name_of(c);
  }
}

TEST(Case, CallsNameBuffersOfExactlyTheSizeAProgramAllocates) {
  for (const Collective c : kAll)
    for (const bool in_place : {false, true})
      for (int p : {1, 2, 5})
        for (Rank rank = 0; rank < p; ++rank) {
          const Case made = a_case(c, p, 13, in_place, p - 1);
          const BufferSizes sizes = buffer_sizes(made, rank);
          const Call call = make_call(made, rank);
          for (const View& view : {call.in, call.out})
            EXPECT_LE(view.end(), view.buffer == View::kIn ? sizes.in : sizes.out) << name_of(c);
          if (call.in_place) {
            EXPECT_TRUE(call.in.empty() || call.in.buffer == call.out.buffer) << name_of(c);
          }
        }
}

TEST(Blocks, SplitGivesTheFirstBlocksOneElementMore) {
  const Blocks blocks = Blocks::split(14, 4);
  EXPECT_EQ((std::vector<Count>{blocks.count(0), blocks.count(1), blocks.count(2), blocks.count(3)}),
            (std::vector<Count>{4, 4, 3, 3}));
  EXPECT_EQ(blocks.first(3), 11);
  EXPECT_EQ(blocks.total(), 14);
  EXPECT_EQ(blocks.largest(), 4);
  EXPECT_EQ(blocks.of(View::contiguous(View::kOut, 100, 14), 1, 2), View::contiguous(View::kOut, 104, 7));
  EXPECT_TRUE(blocks.of(View::contiguous(View::kOut, 100, 14), 2, 0).empty());
}

TEST(Blocks, IrregularBlocksAreThoseOfTheCallersArray) {
  const Count firsts[] = {0, 2, 2, 7};
  const Blocks blocks{3, 0, 0, firsts};
  EXPECT_EQ(blocks.total(), 7);
  EXPECT_EQ(blocks.largest(), 5);
  EXPECT_TRUE(blocks.of(View::contiguous(View::kIn, 0, 7), 1).empty());
  EXPECT_EQ(blocks.of(View::contiguous(View::kIn, 0, 7), 0, 3).elements(), 7);
}

TEST(View, EveryClipsItsLastRun) {
  const View view = View::contiguous(View::kOut, 10, 11).every(2, 2, 4);  // 2 3 . . 6 7 . . 10
  EXPECT_EQ(view.elements(), 5);
  EXPECT_EQ(view.repeats, 3);
  EXPECT_EQ(view.run(0), View::contiguous(View::kOut, 12, 2));
  EXPECT_EQ(view.run(2), View::contiguous(View::kOut, 20, 1));
  EXPECT_EQ(view.end(), 21);
  EXPECT_TRUE(View::contiguous(View::kOut, 10, 2).every(2, 2, 4).empty());
  EXPECT_EQ(View::contiguous(View::kOut, 0, 9).every(1, 3, 3), View::contiguous(View::kOut, 1, 8)) << "no gaps";
}

TEST(View, SlicesOutsideTheViewAreRefused) {
  const View view = View::contiguous(View::kIn, 3, 4);
  EXPECT_EQ(view.slice(1, 3), View::contiguous(View::kIn, 4, 3));
  EXPECT_THROW(static_cast<void>(view.slice(1, 4)), std::out_of_range);
  EXPECT_THROW(static_cast<void>(view.slice(-1, 1)), std::out_of_range);
  EXPECT_THROW(static_cast<void>(view.every(0, 3, 2)), std::out_of_range);
  EXPECT_THROW(static_cast<void>(view.every(0, 1, 2).slice(0, 1)), std::out_of_range) << "a strided view has no slices";
}

TEST(Call, SegmentsAreWholeElementsAndAtLeastOne) {
  Call call;
  call.element_bytes = 8;
  EXPECT_EQ(call.with("segment", 0).segment_elements(100), 100) << "0: all in one";
  EXPECT_EQ(call.with("segment", 31).segment_elements(100), 3);
  EXPECT_EQ(call.with("segment", 5).segment_elements(100), 1);
  EXPECT_EQ(call.with("segment", 0).segment_elements(0), 1);
  EXPECT_THROW(static_cast<void>(call.segment_elements(100)), std::logic_error) << "never declared";
}

TEST(Call, OneParameterIsReplacedByNameAndASecondIsRefused) {
  const ParameterValues given{{"a", 1}, {"b", 2}};
  Call call;
  call.parameters = Parameters(given);
  const Call changed = call.with("a", 3).with("a", 4);
  EXPECT_EQ(changed.parameter("a"), 4);
  EXPECT_EQ(changed.parameter("b"), 2);
  EXPECT_EQ(call.parameter("a"), 1);
  EXPECT_EQ(call.with("c", 5).parameter("c"), 5);
  EXPECT_THROW(static_cast<void>(changed.with("b", 6)), std::logic_error);
  EXPECT_THROW(static_cast<void>(call.parameter("c")), std::logic_error);
}

}  // namespace
}  // namespace tutti
