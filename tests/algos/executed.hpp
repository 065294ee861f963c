#pragma once

#include <gtest/gtest.h>

#include "algos/named_choice.hpp"
#include "sim/proof/executor.hpp"

namespace tutti {

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
