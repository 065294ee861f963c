#include "calibration/piecewise_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tutti {
namespace {

std::vector<CurvePoint> doubling(std::int64_t from, std::int64_t to, double (*seconds)(double)) {
  std::vector<CurvePoint> curve;
  for (std::int64_t bytes = from; bytes <= to; bytes *= 2)
    curve.push_back({bytes, seconds(static_cast<double>(bytes))});
  return curve;
}

TEST(PiecewiseFit, ALineIsOnePieceWithItsConstantAndSlope) {
  const auto curve = doubling(1, 1 << 22, [](double n) { return 1e-6 + n / 1e10; });
  const auto pieces = fit_pieces(curve, {});
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_NEAR(pieces[0].constant_seconds, 1e-6, 1e-12);
  EXPECT_NEAR(pieces[0].seconds_per_byte, 1e-10, 1e-16);
}

TEST(PiecewiseFit, NoiseOfOnePercentBuysNoPiece) {
  auto curve = doubling(1, 1 << 22, [](double n) { return 1e-6 + n / 1e10; });
  for (std::size_t i = 0; i < curve.size(); ++i) curve[i].seconds *= 1 + 0.01 * std::sin(7.0 * static_cast<double>(i));
  EXPECT_EQ(fit_pieces(curve, {}).size(), 1U);
}

TEST(PiecewiseFit, FindsBreaksWhereTheyAre) {
  const auto curve = doubling(1, 1 << 22, [](double n) {
    if (n <= 1000) return 1e-6 + n / 1e9;
    return n <= 100000 ? 3e-6 + n / 4e9 : 9e-6 + n / 12e9;
  });
  const auto pieces = fit_pieces(curve, {});
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(curve[pieces[0].last].bytes, 512);
  EXPECT_EQ(curve[pieces[1].last].bytes, 65536);
  EXPECT_NEAR(1 / pieces[1].seconds_per_byte, 4e9, 1e5);
  EXPECT_NEAR(pieces[2].constant_seconds, 9e-6, 1e-10);
}

TEST(PiecewiseFit, KeepsToTheBounds) {
  const auto curve = doubling(1, 1 << 22, [](double n) { return 0.5e-6 + n / 10e9; });
  for (const Piece& piece : fit_pieces(curve, {0.6e-6, 1 / 9e9})) {
    EXPECT_GE(piece.constant_seconds, 0.6e-6);
    EXPECT_GE(piece.seconds_per_byte, 1 / 9e9);
  }
}

TEST(PiecewiseFit, SaysWhereTheSlopeIsTheBoundsAndNotTheDatas) {
  const auto flat = doubling(1, 1 << 12, [](double n) { return 1e-6 - n * 1e-12; });
  for (const Piece& piece : fit_pieces(flat, {0, 1e-10})) EXPECT_TRUE(piece.slope_is_bound);
  const auto steep = doubling(1, 1 << 22, [](double n) { return 1e-6 + n / 1e10; });
  for (const double least : {0.0, 0.9e-10, 1.00001e-10})  // the last: the same in rounded figures
    EXPECT_FALSE(fit_pieces(steep, {0, least})[0].slope_is_bound) << least;
}

TEST(PiecewiseFit, FollowsTimesThatGrowFasterThanBytes) {
  // A cache that overflows: no line with a constant above 0 passes through these.
  const std::vector<CurvePoint> curve{{1 << 18, 10e-6}, {1 << 19, 20e-6}, {1 << 20, 60e-6}, {1 << 21, 200e-6}};
  for (const Piece& piece : fit_pieces(curve, {}))
    for (int i = piece.first; i <= piece.last; ++i)
      EXPECT_NEAR(piece.seconds(curve[i].bytes) / curve[i].seconds, 1, 0.05) << curve[i].bytes;
}

TEST(PiecewiseFit, TwoSizesAreEnoughAndOneIsNot) {
  EXPECT_EQ(fit_pieces(std::vector<CurvePoint>{{1, 1e-6}, {2, 1e-6}}, {}).size(), 1U);
  EXPECT_THROW(fit_pieces(std::vector<CurvePoint>{{1, 1e-6}}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace tutti
