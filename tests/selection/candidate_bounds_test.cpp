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

}  // namespace
}  // namespace tutti
