#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "selection/baselines.hpp"
#include "selection/export.hpp"
#include "selection/simulations.hpp"
#include "selection/sweep_progress.hpp"
#include "tables/table.hpp"

namespace tutti {

/// What a file makes of a cell, by the table's predictions.
struct AuditedCell {
  const Cell* cell = nullptr;
  std::string says;  // kOwnChoice: nothing
  double seconds =
      0;  // of that; infinite: the table has no time of it, or one that was inferred, which is at most that
  double best_seconds = 0;
  std::string cannot_run = {};        // not empty: why what it says cannot run there
  std::string own;                    // the library's own choice, where that is known
  std::optional<double> own_seconds;  // of that, where it is known
  bool is_rough = false;              // what runs inside has segments or a fan-out, which the model leaves out
  bool is_known() const { return std::isfinite(seconds); }
  /// Whether `loses` can be asked: the file says something that is priced exactly, and both times are known.
  bool is_compared() const { return says != kOwnChoice && own_seconds && is_known() && !is_rough; }
  /// Beside the best; nothing where it is not known, or where the best takes no time at all and this does.
  std::optional<double> times_as_long() const;
  bool loses(double bound) const { return is_compared() && seconds > *own_seconds * (1 + bound); }
};

/// A cell and the next size or number of nodes, between which a file's time beside the best changes.
struct Cliff {
  const AuditedCell *here = nullptr, *there = nullptr;
  double steepness = 1;  // how many times as much the one loses
};

/// In the table's order. `library`: what it picks itself; nullptr: not known. `table` must outlive it.
std::vector<AuditedCell> audit(const Table& table, const TuningFile& file, const Baseline* library);
/// Simulates what the file and the library choose where the table, of the same machine and mode, has no such time of
/// it; what cannot run there, or is refused, stays unknown. How many were simulated. `progress` may be empty.
std::size_t simulate_unknown(std::vector<AuditedCell>& cells, const Table& table, Simulations& simulations,
                             const SweepProgress::Callback& progress);
/// Those of at least `least` times, the steepest first, of cells with a time that is not rough.
std::vector<Cliff> cliffs(const std::vector<AuditedCell>& cells, double least);

}  // namespace tutti
