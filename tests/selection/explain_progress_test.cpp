#include "selection/explain_progress.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>

namespace tutti {
namespace {

void work(double seconds) {
  const std::clock_t begin = std::clock();
  while (static_cast<double>(std::clock() - begin) < seconds * CLOCKS_PER_SEC) continue;
}

TEST(ExplainProgress, WhatIsRecordedAfterTheSearchIsForeseenAmongIt) {
  const Case c{Collective::bcast, 8, 1 << 20, 1};
  const Choice few = parse_choice(c.collective, "binomial"), many = parse_choice(c.collective, "binomial:segment=1024");
  const auto seconds = [](double messages) { return 5e-6 * std::pow(8 + messages, 0.9); };
  const double of_few = seconds(7), of_many = seconds(7 * 1024);
  double part = 0;
  ExplainProgress progress(c, {{few, many, few}, few, 1e6}, {},
                           [&](std::size_t, std::size_t, const auto& asked) { part = asked(); });
  const Fastest::Watch watch = progress.watch();
  const auto search = [&](std::size_t i, double takes) {
    watch.step(i, [&] {
      work(takes);
      watch.best(i);
      return true;
    });
  };
  search(0, of_few);
  search(1, of_many);
  EXPECT_LT(part, 0.6) << "the best has many messages, and they are recorded yet";
  EXPECT_GT(part, 0.2);
  search(2, of_few);
  EXPECT_GT(part, 0.8) << "the best has few messages";
  progress.run_picked([&] { work(of_few); });
  progress.record(ExplainProgress::Recorded::best, [&] { return true; });
  progress.record(ExplainProgress::Recorded::picked, [] { return false; });
  EXPECT_EQ(part, 1);
}

TEST(ExplainProgress, WhatIsExcludedOrNotRecordedTakesNoTime) {
  const Case c{Collective::bcast, 8, 1 << 20, 1};
  const Choice few = parse_choice(c.collective, "binomial"), many = parse_choice(c.collective, "binomial:segment=1024");
  double part = 0;
  ExplainProgress progress(c, {{many, many}, {}, 100}, {},
                           [&](std::size_t, std::size_t, const auto& asked) { part = asked(); });
  const Fastest::Watch watch = progress.watch();
  watch.step(0, [&] {
    work(2e-3);
    watch.best(0);
    return true;
  });
  EXPECT_NEAR(part, 0.5, 0.05) << "as long again, and too many messages to record";
  watch.step(1, [] { return false; });
  EXPECT_GT(part, 0.95);
}

}  // namespace
}  // namespace tutti
