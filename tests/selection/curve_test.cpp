#include "selection/curve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tutti {
namespace {

/// 1 us and 1 GB/s, a handshake of 5 us above 1000 bytes.
Machine simple_machine() {
  Machine machine = load_machine("example-cluster");
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  machine.transports[static_cast<std::size_t>(Distance::network)] =
      Transport{0, 0, 0, {{kNone, 1e-6, 1e9}}, 1000, 5e-6};
  machine.compute.copy = machine.compute.reduce = {0, 1e-9, kNone, 1e-9};
  return machine;
}

SizeScaling scaling_of(std::vector<std::int64_t> bytes) {
  static const Machine machine = simple_machine();
  return SizeScaling(machine, {Distance::network}, std::move(bytes));
}

TimeCurve curve_on(const SizeScaling& scaling) {
  return TimeCurve(scaling, std::vector<double>(scaling.bytes().size(), 0),
                   std::vector<TimeCurve::Piece>(scaling.bytes().size(), {0, {}}));
}

TEST(SizeScaling, IsThatOfTheCheapestAndTheDearestOperation) {
  const SizeScaling scaling = scaling_of({100, 400, 2000});
  EXPECT_DOUBLE_EQ(scaling.between(0, 0).least, 1);
  EXPECT_DOUBLE_EQ(scaling.between(0, 1).least, 1);
  EXPECT_DOUBLE_EQ(scaling.between(0, 1).most, 4) << "what has no latency";
  EXPECT_DOUBLE_EQ(scaling.between(1, 0).least, 0.25);
  // 201 bytes cost 1.201 us; five times as many a handshake more: 7.005 us.
  EXPECT_NEAR(scaling.between(1, 2).most, 7.005 / 1.201, 1e-9);
}

TEST(TimeCurve, WhatIsKnownAtOneSizeBoundsTheOthers) {
  const SizeScaling scaling = scaling_of({100, 200, 400});
  TimeCurve curve = curve_on(scaling);
  EXPECT_EQ(curve.upper(1), std::numeric_limits<double>::infinity());
  curve.set(1, 3);
  EXPECT_DOUBLE_EQ(curve.lower(0), kLowerHolds * 1.5);
  EXPECT_DOUBLE_EQ(curve.upper(0), 3);
  EXPECT_DOUBLE_EQ(curve.lower(1), 3);
  EXPECT_DOUBLE_EQ(curve.upper(1), 3);
  EXPECT_DOUBLE_EQ(curve.lower(2), kLowerHolds * 3);
  EXPECT_DOUBLE_EQ(curve.upper(2), 6);
}

TEST(TimeCurve, HoldsTheTruthOfEveryConvexTimeAndIsNarrowOnALine) {
  const SizeScaling scaling = scaling_of({50, 100, 200, 400, 800});
  for (const double knee : {60.0, 150.0, 250.0, 390.0, 700.0}) {
    TimeCurve curve = curve_on(scaling);
    const auto truth = [&](std::size_t i) {
      const auto bytes = static_cast<double>(scaling.bytes()[i]);
      return std::max(1.0 + bytes / 1000, 1.0 + knee / 1000 + (bytes - knee) / 200);
    };
    for (const std::size_t i : {0, 1, 3, 4}) curve.set(i, truth(i));
    EXPECT_LE(curve.lower(2), truth(2) * (1 + 1e-12)) << knee;
    EXPECT_GE(curve.upper(2), truth(2) * (1 - 1e-12)) << knee;
  }
  TimeCurve line = curve_on(scaling);
  for (const std::size_t i : {0, 1, 3, 4}) line.set(i, 1 + static_cast<double>(scaling.bytes()[i]) / 300);
  EXPECT_NEAR(line.lower(2), kLowerHolds * (1 + 200.0 / 300), 1e-12);
  EXPECT_NEAR(line.upper(2), 1 + 200.0 / 300, 1e-12);
}

TEST(TimeCurve, AJumpIsNotTakenForALine) {
  const SizeScaling scaling = scaling_of({50, 100, 200, 400, 800});
  TimeCurve curve = curve_on(scaling);
  curve.set(0, 1);
  curve.set(1, 1.1);
  curve.set(3, 1.9);  // from here on 0.4 more
  curve.set(4, 2.7);
  EXPECT_LE(curve.lower(2), 1.2);
  EXPECT_GE(curve.upper(2), 1.6);
}

TEST(TimeCurve, SizesThatRunSomethingElseTellNothing) {
  const SizeScaling scaling = scaling_of({100, 200, 400});
  TimeCurve curve(scaling, {0.5, 0.5, 0.5}, {{0, {}}, {1, {}}, {}});
  curve.set(0, 3);
  EXPECT_EQ(curve.lower(1), 0.5);
  EXPECT_EQ(curve.upper(1), std::numeric_limits<double>::infinity());
  EXPECT_FALSE(curve.runs(2));
}

TEST(TimeCurve, WhatTakesLongerThanSomethingBoundsOtherSizesFromBelow) {
  const SizeScaling scaling = scaling_of({100, 200, 400});
  TimeCurve curve = curve_on(scaling);
  curve.set_more_than(1, 3);
  EXPECT_DOUBLE_EQ(curve.lower(0), kLowerHolds * 1.5);
  EXPECT_DOUBLE_EQ(curve.lower(1), 3) << "at the size itself it is no estimate";
  EXPECT_DOUBLE_EQ(curve.lower(2), kLowerHolds * 3);
  for (const std::size_t i : {0, 1, 2}) {
    EXPECT_FALSE(curve.known(i));
    EXPECT_EQ(curve.upper(i), std::numeric_limits<double>::infinity());
  }
  curve.set(1, 4);
  EXPECT_DOUBLE_EQ(curve.upper(1), 4);
}

TEST(TimeCurve, AnErrorWidensTheBounds) {
  const SizeScaling scaling = scaling_of({1000});
  TimeCurve curve = curve_on(scaling);
  curve.set(0, 2, 0.1);
  EXPECT_DOUBLE_EQ(curve.lower(0), 1.8);
  EXPECT_DOUBLE_EQ(curve.upper(0), 2.2);
}

}  // namespace
}  // namespace tutti
