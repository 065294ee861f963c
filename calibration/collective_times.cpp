#include "calibration/collective_times.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>

#include "algos/error.hpp"
#include "models/placement.hpp"

namespace tutti {

CollectiveTimes::CollectiveTimes(const Machine& machine, std::span<const CollectiveRow> rows) {
  std::map<std::string, std::vector<int>> placed;
  std::map<std::string, std::size_t> known;
  std::vector<double> messages;
  for (const CollectiveRow& row : rows) {
    Choice choice;
    if (!choice_of(row, choice)) {
      ++left_out_;
      continue;
    }
    const Case c = case_of(row);
    choice = resolve(choice, c);
    const std::string where = row.placement + ' ' + std::to_string(row.ranks) + ' ' + std::to_string(row.ppn);
    const std::string key =
        where + ' ' + choice.algorithm->full_name() + ' ' + choice.text() + ' ' + std::to_string(c.count);
    const auto [experiment, is_new] = known.try_emplace(key, experiments_.size());
    if (is_new) {
      const auto [cores, first] = placed.try_emplace(where);
      if (first)
        cores->second = row.placement.empty()
                            ? place_block(*machine.network, row.ranks, row.ppn)
                            : read_placement(row.placement, *machine.network, {row.ranks, std::nullopt, row.ppn});
      messages.push_back(choice.algorithm->messages()(Facts(c, choice.parameters)));
      experiments_.push_back({c, choice, cores->second, {Mode::Kind::barrier, 1, 0}, 1, false});
    }
    experiment_of_row_.push_back(experiment->second);
    rows_.push_back(row);
  }
  longest_first_.resize(experiments_.size());
  std::iota(longest_first_.begin(), longest_first_.end(), std::size_t{0});
  std::stable_sort(longest_first_.begin(), longest_first_.end(),
                   [&](std::size_t a, std::size_t b) { return messages[a] > messages[b]; });
}

std::vector<double> CollectiveTimes::predict(const Machine& machine, const Engine& engine, int threads) const {
  std::vector<double> seconds(experiments_.size());
  std::atomic<std::size_t> next{0};
  std::mutex failing;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t i; (i = next++) < longest_first_.size();) {
        const std::size_t index = longest_first_[i];
        const Result result = engine.run(machine, {&experiments_[index], 1}).front();
        seconds[index] = result.refused.empty() ? result.makespan_seconds : 0;
      }
    } catch (...) {
      const std::lock_guard lock(failing);
      failure = std::current_exception();
      next = longest_first_.size();
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
  std::vector<double> of_rows;
  of_rows.reserve(rows_.size());
  for (const std::size_t experiment : experiment_of_row_) of_rows.push_back(seconds[experiment]);
  return of_rows;
}

}  // namespace tutti
