#include "calibration/collective_times.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>

#include "base/error.hpp"
#include "base/in_parallel.hpp"
#include "calibration/schedgen.hpp"
#include "models/placement.hpp"
#include "sim/kept_engine.hpp"

namespace tutti {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Calls alternate with barriers (PICO's loop and OSU's do): what is measured settles in three or four rounds. Calls of
/// very many messages take so long that who leaves the barrier when hardly matters.
Mode mode_of(const CollectiveRow& row, double messages) {
  if (row.collective == Collective::barrier && row.implementation == "osu")  // osu_barrier: back to back
    return parse_mode("loop:4:" + row.algorithm);
  if (row.barrier.empty()) return parse_mode("barrier");
  constexpr double very_many = 1 << 16;
  return parse_mode((messages > very_many ? "loop:2:" : "loop:4:") + row.barrier);
}

std::vector<int> placed_as(const CollectiveRow& row, const Network& network) {
  if (row.placement.empty())
    return row.by_socket ? place_by_socket(network, row.ranks, row.ppn) : place_block(network, row.ranks, row.ppn);
  return read_placement(row.placement, network, {row.ranks, std::nullopt, row.ppn});
}

/// The machine to a program that waits instead of computing, as Schedgen's do.
Machine with_waits_to_compute(Machine machine) {
  machine.compute.reduce = {0, schedgen_compute_seconds_per_byte, INT64_MAX, schedgen_compute_seconds_per_byte};
  return machine;
}

}  // namespace

CollectiveTimes::CollectiveTimes(const Machine& machine, std::span<const CollectiveRow> rows, const std::string& file) {
  std::map<std::string, std::vector<int>> placed;
  std::map<std::string, std::size_t> known;
  for (const CollectiveRow& row : rows) {
    if (row.beside_a_job) {
      ++beside_a_job_;
      continue;
    }
    Choice choice;
    if (!choice_of(row, choice)) {
      ++left_out_;
      continue;
    }
    const Case c = case_of(row);
    choice = resolve(choice, c);
    const std::string where = row.placement + ' ' + std::to_string(row.ranks) + ' ' + std::to_string(row.ppn) +
                              (row.by_socket ? " by socket" : "");
    const std::string key = where + ' ' + row.barrier + ' ' + choice.algorithm->full_name() + ' ' + choice.text() +
                            ' ' + std::to_string(c.count);
    const auto [experiment, is_new] = known.try_emplace(key, experiments_.size());
    if (is_new) {
      const auto [cores, first] = placed.try_emplace(where);
      if (first) try {
          cores->second = placed_as(row, *machine.network);
        } catch (const InputError& error) {
          if (!row.placement.empty()) throw;  // it names that file and line
          throw InputError(file + ":" + std::to_string(row.line) + ": " + error.what());
        }
      const double messages = choice.algorithm->messages()(Facts(c, choice.parameters));
      work_.push_back(messages + row.ranks);
      work_in_all_ += work_.back();
      experiments_.push_back({c, choice, cores->second, mode_of(row, messages), 1, false});
      waits_to_compute_.push_back(is_schedgen(row));
    }
    experiment_of_row_.push_back(experiment->second);
    rows_.push_back(row);
  }
  longest_first_.resize(experiments_.size());
  std::iota(longest_first_.begin(), longest_first_.end(), std::size_t{0});
  std::stable_sort(longest_first_.begin(), longest_first_.end(),
                   [&](std::size_t a, std::size_t b) { return work_[a] > work_[b]; });
}

std::vector<double> CollectiveTimes::predict(const Machine& machine, const Engine& engine, int threads,
                                             const WatchedWork& watched) const {
  std::unique_ptr<Engine> kept, kept_waiting;
  if (watched.store) {
    kept = std::make_unique<KeptEngine>(engine, *watched.store, watched.machine);
    kept_waiting = std::make_unique<KeptEngine>(engine, *watched.store, "waits to compute\n" + watched.machine);
  }
  const Machine waiting = with_waits_to_compute(machine);
  std::mutex mutex;
  double done = 0;
  std::vector<double> makespan(experiments_.size());
  std::vector<std::vector<double>> seconds_per_rank(experiments_.size());
  in_parallel(threads, longest_first_.size(), [&](std::size_t i, std::size_t) {
    const std::size_t index = longest_first_[i];
    const bool waits = waits_to_compute_[index];
    const Engine& by = !watched.store ? engine : waits ? *kept_waiting : *kept;
    Result result = by.run(waits ? waiting : machine, {&experiments_[index], 1}).front();
    if (watched.done) {
      const std::lock_guard lock(mutex);
      watched.done((done += work_[index]) / work_in_all_);
    }
    if (!result.refused.empty()) return;
    seconds_per_rank[index] = std::move(result.seconds_per_rank);
    makespan[index] = result.makespan_seconds;
  });
  std::vector<double> of_rows;
  of_rows.reserve(rows_.size());
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const std::size_t index = experiment_of_row_[row];
    const std::vector<double>& seconds = seconds_per_rank[index];
    if (seconds.empty() || rows_[row].statistic == Statistic::longest)
      of_rows.push_back(makespan[index]);
    else
      of_rows.push_back(rows_[row].statistic == Statistic::mean ? mean(seconds) : std::ranges::min(seconds));
  }
  return of_rows;
}

}  // namespace tutti
