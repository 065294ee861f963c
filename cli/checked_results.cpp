#include "cli/checked_results.hpp"

#include <fmt/core.h>

#include "base/error.hpp"
#include "cli/verbs.hpp"

namespace tutti::cli {

void refuse_too_many_elements(const Case& c) {
  constexpr Count kMost = 1 << 26;
  Count elements = 0;
  for (Rank rank = 0; rank < c.ranks; ++rank) {
    const BufferSizes sizes = buffer_sizes(c, rank);
    elements += sizes.in + sizes.out;
    if (elements > kMost)
      throw InputError(
          fmt::format("--check: expected at most {} elements on all ranks; --element makes them fewer", kMost));
  }
}

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
