#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "calibration/collective_rows.hpp"
#include "sim/result_store.hpp"

namespace tutti {

/// What goes on beside simulations.
struct WatchedWork {
  ResultStore* store = nullptr;  ///< keeps the results; null: nothing does
  std::string machine = {};      ///< a text that says all of the machine, for the store
  /// Told the part of the work that is done, from 0 to 1; called by any thread, one at a time.
  std::function<void(double part)> done = {};
};

/// Simulates rows as they were measured: placed as their placement file says, in turn with barriers, the longest or
/// the mean of all ranks' times of the last call. Rows that run the same algorithm on the same case and placement are
/// simulated once.
class CollectiveTimes {
 public:
  /// Leaves out the rows that no algorithm of ours bears the name of (of those that may run the case); `left_out` says
  /// how many; and those that were measured beside another job, `beside_a_job` of them. Throws InputError on placements
  /// that do not fit the machine, with the line of `file`, which the rows are of.
  CollectiveTimes(const Machine& machine, std::span<const CollectiveRow> rows, const std::string& file = "rows");

  /// The rows that can be simulated, in their order.
  const std::vector<CollectiveRow>& rows() const { return rows_; }
  std::size_t left_out() const { return left_out_; }
  std::size_t beside_a_job() const { return beside_a_job_; }

  /// Seconds of every row on a machine of the same shape; 0 where the engine refuses. The same on any number of
  /// threads.
  std::vector<double> predict(const Machine& machine, const Engine& engine, int threads,
                              const WatchedWork& watched = {}) const;

 private:
  std::vector<CollectiveRow> rows_;
  std::vector<std::size_t> experiment_of_row_;
  std::vector<Experiment> experiments_;
  std::vector<bool> waits_to_compute_;  // of each experiment
  std::vector<double> work_;            // of each, about
  double work_in_all_ = 0;
  std::vector<std::size_t> longest_first_;
  std::size_t left_out_ = 0, beside_a_job_ = 0;
};

}  // namespace tutti
