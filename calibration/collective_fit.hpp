#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "calibration/collective_rows.hpp"
#include "sim/result_store.hpp"

namespace tutti {

struct CollectiveFitRequest {
  std::string base;            ///< machine name or file; its name is the system's in the measurements
  std::filesystem::path file;  ///< measured collectives
  std::string selection;       ///< the only rows that are looked at (RowSelection)
  std::string name;            ///< of the new machine; empty: the base's
  std::string engine = "fast";
  int threads = 1;
  int starts = 3;       ///< the base, and so many less one around it
  bool cables = false;  ///< fits what each level of cables has, too, and how much of the traffic takes detours
  /// Fits to all numbers of nodes but one, each in turn, first, and goes no farther than helps those held back.
  /// Where that is not all the way, the base is the only start.
  bool cross_validate = false;
  ResultStore* store = nullptr;  ///< keeps the results of simulations; null: nothing does
  /// So many of about so many simulations of all rows are done, and this part of all work. One call at a time.
  std::function<void(std::size_t done, std::size_t about, double part)> progress = {};
};

/// A figure of the machine after the fit. Of the share of detours, effect and deviation are of what takes none.
struct FigureReport {
  std::string pointer;
  double base = 0, fitted = 0;
  double effect = 0;     ///< the largest relative change of a predicted time where the figure changes by a tenth
  double deviation = 0;  ///< relative, of the figure; 0 for numbers of bytes, which are tried one by one
  bool identified = false;
};

/// The rows of one number of nodes, and a fit from the base to those of all others.
struct HeldBack {
  int nodes = 0;
  std::size_t rows = 0;
  double median_error_before = 0, median_error = 0;  ///< |predicted / measured - 1| of the base, and of the fit
};

struct CrossValidation {
  std::vector<HeldBack> held_back;  ///< ascending
  std::optional<int> steps;  ///< after which what is held back gets worse; 0: the base is best; nothing: it never does
};

struct CollectiveFit {
  std::string machine_json;  ///< has passed the schema; "calibration" in it says what was looked at
  std::vector<FigureReport> figures;
  std::vector<CollectiveRow> rows;  ///< those fitted
  std::vector<double> predicted;    ///< seconds, of each
  std::size_t rows_in_file = 0;
  std::size_t left_out = 0, beside_a_job = 0;        ///< of the selected ones, as CollectiveTimes leaves out
  double median_error_before = 0, median_error = 0;  ///< |predicted / measured - 1|
  std::optional<CrossValidation> cross_validation;
};

/// Fits the figures of the base machine to the selected rows by simulating them. Least squares of the logarithm of
/// predicted over measured, with priors around the base's figures, bounds, and several starts; numbers of bytes by
/// trying their double and half. Deterministic for any number of threads. Throws InputError where the selection, or a
/// part of it, holds no row, or none that can be simulated, and where cross-validation finds one number of nodes alone.
CollectiveFit fit_collectives(const CollectiveFitRequest& request);

std::string format_fit(const CollectiveFit& fit);
nlohmann::ordered_json fit_json(const CollectiveFit& fit);

}  // namespace tutti
