#include "selection/candidate_bounds.hpp"

#include <gtest/gtest.h>

namespace tutti {
namespace {

// A gather of 8 ranks on Leonardo: at 64 KiB from each, beside 32 and 128 KiB, messages in segments are sent otherwise.
TEST(SlowerAround, SaysNothingWhereMessagesTakeTheProtocolOfNeitherSize) {
  const Machine machine = load_machine("leonardo-booster");
  Simulations simulations(machine, {}, "block", nullptr);
  const Place place{Collective::gather, 8, 1};
  const std::vector<Choice> candidates{parse_choice(place.collective, "linear"),
                                       parse_choice(place.collective, "linear_sync:segment=8K")};
  const auto is_slower_between = [&](const std::vector<std::int64_t>& bytes) {
    CandidateBounds bounds(simulations, place, bytes, candidates, {}, {});
    for (const std::size_t i : {0u, 2u}) {
      bounds.set(0, i, 30e-6, 0, true);
      bounds.set(1, i, 40e-6, 0, true);
    }
    bounds.set(0, 1, 30e-6, 0, true);
    return bounds.is_slower_around(0, 1, 1);
  };
  EXPECT_FALSE(is_slower_between({256 << 10, 512 << 10, 1 << 20}));
  EXPECT_TRUE(is_slower_between({4 << 20, 8 << 20, 16 << 20}));
}

TEST(EqualTimes, OfSomeSizesSayNothingOfOthersWhereAWindowHoldsMessagesBack) {
  const Machine machine = load_machine("example-cluster");
  Simulations simulations(machine, {}, "block", nullptr);
  const std::vector<std::int64_t> bytes{16 << 10, 32 << 10, 64 << 10};
  const Place place{Collective::alltoall, 16, 2};
  const std::vector<Choice> candidates{
      parse_choice(place.collective, "linear"), parse_choice(place.collective, "linear_sync"),
      parse_choice(place.collective, "linear_sync:window=16"), parse_choice(place.collective, "linear_sync:window=31")};
  CandidateBounds bounds(simulations, place, bytes, candidates, {}, {});
  for (std::size_t a = 0; a < candidates.size(); ++a)
    for (const std::size_t i : {0u, 1u}) bounds.set(a, i, 12e-6, 0, true);
  EXPECT_TRUE(bounds.are_equivalent(0, 1, 2));
  EXPECT_FALSE(bounds.are_equivalent(0, 2, 2)) << "at 64 KiB it takes 7 % less";
  EXPECT_TRUE(bounds.are_equivalent(0, 3, 2)) << "it holds all messages";
}

// An allgather on 24 nodes of Fugaku takes three fifths of what it takes on 18: their torus suits it better.
TEST(FewerNodes, TellNothingOfMoreOnATorus) {
  const auto least = [](const char* name) {
    const Machine machine = load_machine(name);
    Simulations simulations(machine, {}, "block", nullptr);
    const std::vector<std::int64_t> bytes{64 << 20};
    const std::vector<Choice> candidates{parse_choice(Collective::allgather, "ring")};
    CandidateBounds there(simulations, {Collective::allgather, 18, 4}, bytes, candidates, {}, {});
    there.set(0, 0, 10, 0, true);
    const SearchResult fewer = there.result();
    return CandidateBounds(simulations, {Collective::allgather, 24, 4}, bytes, candidates, {{&fewer}, {}, false}, {})
        .time(0)
        .lower(0);
  };
  EXPECT_GT(least("leonardo-booster"), 5);
  EXPECT_LT(least("fugaku"), 5);
}

}  // namespace
}  // namespace tutti
