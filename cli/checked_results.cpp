#include "cli/checked_results.hpp"

#include <fmt/core.h>

#include "cli/verbs.hpp"

namespace tutti::cli {

int report_check(const std::vector<SimulatedRow>& rows) {
  int wrong = 0;
  for (const SimulatedRow& row : rows)
    if (!row.result.fault.empty()) {
      ++wrong;
      fmt::print(stderr, "wrong: {}, {} bytes: {}\n", row.chosen, row.bytes, row.result.fault);
    }
  fmt::print(stderr, "results checked on every rank: {} right, {} wrong\n",
             rows.size() - static_cast<std::size_t>(wrong), wrong);
  return wrong > 0 ? kFinding : kDone;
}

}  // namespace tutti::cli
