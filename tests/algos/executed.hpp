#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "algos/named_choice.hpp"
#include "sim/proof/executor.hpp"

namespace tutti {

/// From two on: all up to 34, and further those about powers of two and of three, and some others; all in the slow
/// tests.
inline std::vector<int> numbers_of_ranks_below(int end) {
  const bool all = std::getenv("TUTTI_SLOW_TESTS") != nullptr;
  const std::vector<int> others{49, 50, 63, 64, 65, 66, 80, 81, 82, 96, 100, 127, 128, 129, 130, 193};
  std::vector<int> numbers;
  for (int p = 2; p < end; ++p)
    if (all || p <= 34 || std::find(others.begin(), others.end(), p) != others.end()) numbers.push_back(p);
  return numbers;
}

/// The call as the proof's executor has run it, without a fault and with the right results.
inline proof::Execution executed(const char* text, const Case& c, const Places& places) {
  proof::Executor executor;
  const Choice choice = parse_choice(c.collective, text);
  const proof::Execution execution = executor.run(choice.algorithm->function(), c, choice, 1, places);
  EXPECT_EQ(execution.fault.value_or(proof::Fault{}).text, "") << text;
  const auto wrong = check_results(executor, c);
  EXPECT_FALSE(wrong) << text << ": " << wrong->text;
  return execution;
}

}  // namespace tutti
