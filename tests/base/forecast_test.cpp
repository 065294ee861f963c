#include "base/forecast.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace tutti {
namespace {

struct Step {
  std::size_t number;
  double seconds;
};

/// Does the steps in turn; how far off the estimated whole is, relative, at worst from the first tenth of the time on.
double worst_error(Forecast& forecast, const std::vector<Step>& steps) {
  double all = 0, taken = 0, worst = 0;
  for (const Step& step : steps) all += step.seconds;
  for (const Step& step : steps) {
    forecast.done(step.number, step.seconds);
    taken += step.seconds;
    if (taken >= all / 10) worst = std::max(worst, std::abs(taken / forecast.part_done() / all - 1));
  }
  return worst;
}

TEST(Forecast, StepsOfOtherKindsAndOfMoreWorkAreForeseenFromTheFirstTenthOn) {
  std::mt19937 random(1);
  std::lognormal_distribution<double> noise(0, 0.3);
  for (const double most : {32, 300, 4096}) {
    Forecast forecast;
    std::vector<Step> steps;
    const std::vector<std::pair<std::string, double>> kinds{{"allreduce", 1.2}, {"alltoall", 1.6}, {"bcast", 0.4}};
    for (double ranks = 2; ranks <= most; ranks = std::ceil(ranks * 1.05))
      for (const auto& [kind, power] : kinds)
        steps.push_back(
            {forecast.add({{"search " + kind, "search"}, ranks, 18}), 18e-3 * std::pow(ranks, power) * noise(random)});
    EXPECT_LT(worst_error(forecast, steps), 0.3) << most;
  }
}

TEST(Forecast, WhatComesLaterIsExpectedToTakeAsMuchOfTheRestAsIsSaid) {
  Forecast forecast;
  std::vector<Step> steps;
  for (int i = 1; i <= 50; ++i) steps.push_back({forecast.add({{"search"}, 10, 1}), 2});
  for (int i = 1; i <= 50; ++i) steps.push_back({forecast.add({{"confirm"}, 10, 1, {"search"}, 0.5}), 1});
  forecast.done(steps[0].number, 2);
  EXPECT_NEAR(forecast.part_done(), 2.0 / 150, 1e-9);
  EXPECT_EQ(forecast.items_done(), 1U);
  EXPECT_EQ(forecast.items(), 100U);
}

TEST(Forecast, OneStepOfAKindTellsOfTheOthers) {
  Forecast forecast;
  const auto a = forecast.add({{"a"}, 8, 1}), b = forecast.add({{"b"}, 8, 1});
  forecast.add({{"a"}, 16, 1});
  forecast.add({{"b"}, 8, 3});
  EXPECT_EQ(forecast.part_done(), 0);
  forecast.done(a, 1);
  forecast.done(b, 10);
  EXPECT_NEAR(forecast.part_done(), 11.0 / (11 + 2 + 30), 1e-9);
}

TEST(Forecast, TheFirstOfAKindThatAlsoSetsUpWhatAllNeedDoesNotSpeakForAll) {
  Forecast forecast;
  std::vector<Step> steps;
  for (int i = 1; i <= 40; ++i) steps.push_back({forecast.add({{"search"}, 2.0 * i, 1}), 0.1 * i});
  for (int i = 1; i <= 40; ++i)
    steps.push_back({forecast.add({{"confirm"}, 2.0 * i, 1, {"search"}, 0.8}), 0.06 * i + (i == 1 ? 1 : 0)});
  EXPECT_LT(worst_error(forecast, steps), 0.3);
}

TEST(Forecast, AKindWhoseLargestComesFirstGrowsAsWhatItIsLike) {
  Forecast forecast;
  double all = 0, taken = 0;
  std::vector<Step> steps;
  for (const bool settles : {false, true})
    for (int i = 1; i <= 40; ++i) {
      const double ranks = settles ? 41 - i : i, seconds = std::pow(ranks, 2.5);
      all += seconds;
      steps.push_back(
          {settles ? forecast.add({{"settle"}, ranks, 1, {"search"}, 1}) : forecast.add({{"search"}, ranks, 1}),
           seconds});
    }
  for (std::size_t i = 0; i <= 40; ++i) {
    forecast.done(steps[i].number, steps[i].seconds);
    taken += steps[i].seconds;
  }
  EXPECT_NEAR(taken / forecast.part_done() / all, 1, 0.02);
}

TEST(Forecast, StepsThatAnEarlierSweepHadDoneTellNothingOfWhatIsLeft) {
  Forecast forecast;
  std::vector<std::size_t> steps;
  steps.reserve(20);
  for (int i = 0; i < 20; ++i) steps.push_back(forecast.add({{"search"}, 8, 1}));
  for (int i = 0; i < 10; ++i) forecast.done(steps[static_cast<std::size_t>(i)], 0.1, false);
  EXPECT_EQ(forecast.part_done(), 0);
  forecast.done(steps[10], 3);
  EXPECT_NEAR(forecast.part_done(), 4.0 / (4 + 9 * 3), 1e-9);
}

TEST(Forecast, AtTheEndAllIsDone) {
  Forecast forecast;
  forecast.done(forecast.add({{"a"}, 1, 1}), 0);
  EXPECT_EQ(forecast.part_done(), 1);
}

}  // namespace
}  // namespace tutti
