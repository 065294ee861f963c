#include "selection/size_bounds.hpp"

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

SizeBounds bounds_over(const SizeScaling& scaling) {
  return SizeBounds(scaling, std::vector<TimeBounds>(scaling.bytes().size()),
                    std::vector<SizeBounds::Regime>(scaling.bytes().size(), {0, {}}));
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

TEST(SizeBounds, WhatIsKnownAtOneSizeBoundsTheOthers) {
  const SizeScaling scaling = scaling_of({100, 200, 400});
  SizeBounds bounds = bounds_over(scaling);
  EXPECT_EQ(bounds.upper(1), std::numeric_limits<double>::infinity());
  bounds.set(1, 3);
  EXPECT_DOUBLE_EQ(bounds.lower(0), kTrustedShare * 1.5);
  EXPECT_DOUBLE_EQ(bounds.upper(0), 3);
  EXPECT_DOUBLE_EQ(bounds.lower(1), 3);
  EXPECT_DOUBLE_EQ(bounds.upper(1), 3);
  EXPECT_DOUBLE_EQ(bounds.lower(2), kTrustedShare * 3);
  EXPECT_DOUBLE_EQ(bounds.upper(2), 6);
}

TEST(SizeBounds, HoldsTheTruthOfEveryConvexTimeAndIsNarrowOnALine) {
  const SizeScaling scaling = scaling_of({50, 100, 200, 400, 800});
  for (const double knee : {60.0, 150.0, 250.0, 390.0, 700.0}) {
    SizeBounds bounds = bounds_over(scaling);
    const auto truth = [&](std::size_t i) {
      const auto bytes = static_cast<double>(scaling.bytes()[i]);
      return std::max(1.0 + bytes / 1000, 1.0 + knee / 1000 + (bytes - knee) / 200);
    };
    for (const std::size_t i : {0, 1, 3, 4}) bounds.set(i, truth(i));
    EXPECT_LE(bounds.lower(2), truth(2) * (1 + 1e-12)) << knee;
    EXPECT_GE(bounds.upper(2), truth(2) * (1 - 1e-12)) << knee;
  }
  SizeBounds line = bounds_over(scaling);
  for (const std::size_t i : {0, 1, 3, 4}) line.set(i, 1 + static_cast<double>(scaling.bytes()[i]) / 300);
  EXPECT_NEAR(line.lower(2), kTrustedShare * (1 + 200.0 / 300), 1e-12);
  EXPECT_NEAR(line.upper(2), 1 + 200.0 / 300, 1e-12);
}

TEST(SizeBounds, AJumpIsNotTakenForALine) {
  const SizeScaling scaling = scaling_of({50, 100, 200, 400, 800});
  SizeBounds bounds = bounds_over(scaling);
  bounds.set(0, 1);
  bounds.set(1, 1.1);
  bounds.set(3, 1.9);  // from here on 0.4 more
  bounds.set(4, 2.7);
  EXPECT_LE(bounds.lower(2), 1.2);
  EXPECT_GE(bounds.upper(2), 1.6);
}

TEST(SizeBounds, SizesThatRunSomethingElseTellNothing) {
  const SizeScaling scaling = scaling_of({100, 200, 400});
  SizeBounds bounds(scaling, std::vector<TimeBounds>(3, {0.5}), {{0, {}}, {1, {}}, {}});
  bounds.set(0, 3);
  EXPECT_EQ(bounds.lower(1), 0.5);
  EXPECT_EQ(bounds.upper(1), std::numeric_limits<double>::infinity());
  EXPECT_FALSE(bounds.runs(2));
}

TEST(SizeBounds, WhatTakesLongerThanSomethingBoundsOtherSizesFromBelow) {
  const SizeScaling scaling = scaling_of({100, 200, 400});
  SizeBounds bounds = bounds_over(scaling);
  bounds.set_more_than(1, 3);
  EXPECT_DOUBLE_EQ(bounds.lower(0), kTrustedShare * 1.5);
  EXPECT_DOUBLE_EQ(bounds.lower(1), 3) << "at the size itself it is no estimate";
  EXPECT_DOUBLE_EQ(bounds.lower(2), kTrustedShare * 3);
  for (const std::size_t i : {0, 1, 2}) {
    EXPECT_FALSE(bounds.known(i));
    EXPECT_EQ(bounds.upper(i), std::numeric_limits<double>::infinity());
  }
  bounds.set(1, 4);
  EXPECT_DOUBLE_EQ(bounds.upper(1), 4);
}

TEST(SizeBounds, AnErrorWidensTheBounds) {
  const SizeScaling scaling = scaling_of({1000});
  SizeBounds bounds = bounds_over(scaling);
  bounds.set(0, 2, 0.1);
  EXPECT_DOUBLE_EQ(bounds.lower(0), 1.8);
  EXPECT_DOUBLE_EQ(bounds.upper(0), 2.2);
}

}  // namespace
}  // namespace tutti
