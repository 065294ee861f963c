#include "selection/asked_amount.hpp"

#include <fmt/core.h>

#include "base/error.hpp"

namespace tutti {
namespace {

constexpr std::size_t kMostRuns = 4'000'000;     // of some 600 bytes each
constexpr std::size_t kMostCells = 4'000'000;    // of some 25,000 bytes each, once they are tuned
constexpr std::size_t kMostRanks = 250'000'000;  // of 8 bytes each

/// `each`: what there is of each layout and size.
void expect_few(std::size_t most, const char* what, const std::string& options, double layouts, std::size_t sizes,
                std::size_t each) {
  const double asked = layouts * static_cast<double>(sizes) * static_cast<double>(each);
  if (asked > static_cast<double>(most))
    throw InputError(fmt::format("{}: {:.0f} {}, of {:.0f} layouts x {} sizes x {}: expected at most {}", options,
                                 asked, what, layouts, sizes, each, most));
}

}  // namespace

void expect_few_runs(const std::string& options, std::size_t layouts, std::size_t sizes, std::size_t choices) {
  expect_few(kMostRuns, "runs", options, static_cast<double>(layouts), sizes, choices);
}

void expect_few_cells(const std::string& options, std::size_t nodes, std::size_t ppn, std::size_t sizes,
                      std::size_t collectives) {
  expect_few(kMostCells, "cells", options, static_cast<double>(nodes) * static_cast<double>(ppn), sizes, collectives);
}

void KeptRanks::add(std::size_t ranks) {
  ranks_ += ranks;
  if (ranks_ > kMostRanks)
    throw InputError(fmt::format("{}: more than {} ranks in all runs together: expected fewer runs, or of fewer ranks",
                                 options_, kMostRanks));
}

}  // namespace tutti
