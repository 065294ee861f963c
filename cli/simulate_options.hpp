#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "algos/view.hpp"
#include "models/layout.hpp"

namespace tutti::cli {

/// What the command line of `simulate` says.
struct SimulateOptions {
  std::string collective, machine, algorithms = "all", bytes, osu_sizes, engine = "fast", mode, counts, neighbors,
                                   background, noise, op = "sum", csv, trace, plot, goal, space_time, state;
  LayoutLists layouts;
  Rank root = 0;
  std::optional<std::int32_t> element;
  std::optional<std::uint64_t> seed;
  int jobs = 0;  // set by add_options to as many as there are processors
  bool json = false, in_place = false, check = false, critical_path = false;

  bool records() const {
    return !trace.empty() || !space_time.empty() || (json && background.empty()) || critical_path;
  }
};

void add_options(CLI::App& verb, SimulateOptions& options);

}  // namespace tutti::cli
