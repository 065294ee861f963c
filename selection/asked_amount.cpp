#include "selection/asked_amount.hpp"

#include <fmt/core.h>

#include "base/error.hpp"

namespace tutti {
namespace {

constexpr std::size_t kMostRuns = 4'000'000;     // of some 600 bytes each
constexpr std::size_t kMostRanks = 250'000'000;  // of 8 bytes each

}  // namespace

void expect_few_runs(const std::string& options, std::size_t layouts, std::size_t sizes, std::size_t choices) {
  const double runs = static_cast<double>(layouts) * static_cast<double>(sizes) * static_cast<double>(choices);
  if (runs > kMostRuns)
    throw InputError(fmt::format("{}: {:.0f} runs, of {} layouts x {} sizes x {}: expected at most {}", options, runs,
                                 layouts, sizes, choices, kMostRuns));
}

void KeptRanks::add(std::size_t ranks) {
  ranks_ += ranks;
  if (ranks_ > kMostRanks)
    throw InputError(fmt::format("{}: more than {} ranks in all runs together: expected fewer runs, or of fewer ranks",
                                 options_, kMostRanks));
}

}  // namespace tutti
