#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "cli/whatif_changes.hpp"

namespace tutti::cli {

/// What all cells share.
struct WhatIfHead {
  std::string system, engine, mode, where, placement;
};

/// One case, before and after each change.
struct WhatIfCell {
  std::string collective;
  int ranks = 0, nodes = 0, ppn = 0;
  std::int64_t bytes = 0, bytes_simulated = 0;
  std::string before, before_runs;  // the best choice, and what runs under its name (text_of_what_runs())
  double before_seconds = 0;
  struct After {
    std::string best, best_runs;
    double best_seconds = 0;
    double old_seconds = 0;  // of the one that was the best before; infinite: it cannot run any more

    /// Keeping the old choice costs more than 1 %.
    bool changes() const { return old_seconds > best_seconds * 1.01; }
  };
  std::vector<After> after;  // by change

  /// Of what was asked for, blocks of whole elements leave nothing.
  bool is_rounded_to_nothing() const { return bytes > 0 && bytes_simulated == 0; }
};

/// Of one collective's cells (of all: empty) under one change; ratios are geometric means. Cells that are rounded to
/// nothing are left out, unless all are.
struct WhatIfSummary {
  std::string collective;
  std::size_t cells = 0, changed_choices = 0, rounded_to_nothing = 0;
  double ratio = 1, ratio_with_old = 1;  // best after over best before; the same with the choices of before
};
std::vector<WhatIfSummary> summaries(std::span<const WhatIfCell> cells, std::size_t change);

std::string csv_of(const WhatIfHead& head, std::span<const Change> changes, std::span<const WhatIfCell> cells);
nlohmann::ordered_json json_of(const WhatIfHead& head, std::span<const Change> changes,
                               std::span<const WhatIfCell> cells);
/// For people. Cells are not empty.
std::string table_of(const WhatIfHead& head, std::span<const Change> changes, std::span<const WhatIfCell> cells);

}  // namespace tutti::cli
