#include "topologies/link.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/refusal.hpp"

namespace tutti {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Link, NeedsAPositiveBandwidthAndALatencyThatIsNotNegative) {
  const auto with = [](double bandwidth, double latency) {
    return refusal([&] { check_channel({bandwidth, latency}, "cable"); });
  };
  EXPECT_EQ(with(1, 0), "accepted");
  EXPECT_EQ(with(1e15, 1), "accepted");
  for (const double bandwidth : {0.0, -1.0, kInfinity, kNan})
    EXPECT_EQ(with(bandwidth, 0), "cable: expected a positive, finite bandwidth") << bandwidth;
  for (const double latency : {-1e-9, kInfinity, kNan})
    EXPECT_EQ(with(1e9, latency), "cable: expected a finite latency that is not negative") << latency;
}

TEST(Link, CountsAreRefusedBelowTheirLeastAndBeyondWhatLinkNumbersHold) {
  const auto count = [](std::int64_t value) { return refusal([&] { check_count(value, 2, "leaves"); }); };
  EXPECT_EQ(count(2), "accepted");
  EXPECT_EQ(count(1 << 24), "accepted");
  EXPECT_EQ(count(1), "leaves: expected 2 to 16777216, got 1");
  EXPECT_EQ(count((1 << 24) + 1), "leaves: expected 2 to 16777216, got 16777217");
}

}  // namespace
}  // namespace tutti
