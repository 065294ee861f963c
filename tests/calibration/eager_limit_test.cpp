#include "calibration/eager_limit.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace tutti {
namespace {

using Time = std::function<double(double bytes)>;

/// Measured curves at 1 B to 4 MiB and the curve by distance of their medians.
struct Measured {
  std::vector<Series> series;
  DistanceCurve curve;

  explicit Measured(const std::vector<Time>& times) {
    for (const Time& time : times) {
      Series& one = series.emplace_back();
      for (std::int64_t bytes = 1; bytes <= 1 << 22; bytes *= 2)
        one.points.push_back({bytes, time(static_cast<double>(bytes)), 0});
    }
    curve.distance = Distance::network;
    for (const Series& one : series) curve.series.push_back(&one);
    for (std::size_t i = 0; i < series[0].points.size(); ++i) {
      std::vector<double> values;
      for (const Series& one : series) values.push_back(one.points[i].seconds);
      const double median = quantile(values, 0.5);
      curve.points.push_back({series[0].points[i].bytes, median, median, median, median, median, 1});
    }
  }

  std::vector<ProtocolSwitch> switches() const {
    std::vector<CurvePoint> points;
    for (const DistancePoint& point : curve.points) points.push_back({point.bytes, point.median_seconds});
    return find_protocol_switches(curve, fit_pieces(points, {}));
  }
};

Time handshake_above(double limit, double handshake_seconds = 3e-6) {
  return [=](double n) { return 1e-6 + n / 10e9 + (n > limit ? handshake_seconds : 0); };
}

TEST(EagerLimit, IsFoundBetweenTheSizesAroundIt) {
  for (const double limit : {1500.0, 4096.0, 12000.0, 16384.0, 65535.0, 100000.0}) {
    const auto found = Measured({handshake_above(limit)}).switches();
    ASSERT_EQ(found.size(), 1U) << limit;
    EXPECT_LE(static_cast<double>(found[0].last_eager_bytes), limit);
    EXPECT_GT(static_cast<double>(found[0].first_rendezvous_bytes), limit);
    EXPECT_NEAR(found[0].rendezvous_seconds, 3e-6, 0.03e-6);
    EXPECT_GT(found[0].jump, 0);
  }
}

TEST(EagerLimit, IsNotFoundWhereNothingJumps) {
  EXPECT_TRUE(Measured({[](double n) { return 1e-6 + n / 10e9; }}).switches().empty());
}

TEST(EagerLimit, IsNotTakenForAStepBelow1KiB) {
  EXPECT_TRUE(Measured({[](double n) { return (n <= 64 ? 1e-6 : 2e-6) + n / 10e9; }}).switches().empty());
}

TEST(EagerLimit, IsNotTakenForACacheThatOverflows) {
  EXPECT_TRUE(Measured({[](double n) { return 1e-6 + n / (n <= 1e6 ? 20e9 : 10e9); }}).switches().empty());
  EXPECT_TRUE(Measured({[](double n) { return n <= 1e6 ? 1e-6 + n / 20e9 : 9e-6 + n / 10e9; }}).switches().empty());
}

TEST(EagerLimit, NeedsTheSingleCurvesToAgree) {
  const Time with = handshake_above(16384), without = [](double n) { return 1e-6 + n / 10e9; };
  EXPECT_EQ(Measured({with, with, with}).switches().size(), 1U);
  EXPECT_TRUE(Measured({with, with, without}).switches().empty()) << "the medians jump, one curve of three does not";
}

TEST(EagerLimit, MayBeWhereALibraryTurnsToASingleCopyAndTimesFall) {
  const Time copies = [](double n) { return n <= 131072 ? 0.4e-6 + n / 3e9 : 1.5e-6 + n / 16e9; };
  const auto found = Measured({copies}).switches();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].last_eager_bytes, 131072);
  EXPECT_LT(found[0].jump, 0);
  EXPECT_NEAR(found[0].rendezvous_seconds, 1.1e-6, 0.05e-6);
}

}  // namespace
}  // namespace tutti
