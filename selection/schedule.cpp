#include "selection/schedule.hpp"

#include <algorithm>
#include <map>
#include <thread>
#include <utility>

#include "selection/sweep_plan.hpp"

namespace tutti {

std::vector<int> levels_of(std::size_t count) {
  std::vector<int> levels(count, 0);
  const std::function<void(std::size_t, std::size_t, int)> halve = [&](std::size_t first, std::size_t last, int level) {
    if (last - first < 2) return;
    const std::size_t middle = first + (last - first) / 2;
    levels[middle] = level;
    halve(first, middle, level + 1);
    halve(middle, last, level + 1);
  };
  halve(0, count - 1, 1);
  if (count > 1) levels.back() = 1;
  return levels;
}

Schedule::Schedule(std::vector<Chain>& chains) {
  std::map<std::pair<Collective, int>, std::vector<Line*>> alike;
  lines_.reserve(chains.size());
  for (Chain& chain : chains) {
    lines_.push_back({.chain = &chain, .order = search_order(chain)});
    for (const Part& part : chain) lines_.back().left += part.work();
    alike[{chain.front().place.collective, chain.front().place.ppn}].push_back(&lines_.back());
  }
  for (const auto& [key, lines] : alike) {
    const std::vector<int> levels = levels_of(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i]->level = levels[i];
  }
}

void Schedule::run(int jobs, const std::function<void(Chain&, std::size_t)>& work) {
  {
    std::vector<std::jthread> threads;
    for (int t = 1; t < jobs; ++t) threads.emplace_back([&] { job(work); });
    job(work);
  }
  if (failure_) std::rethrow_exception(failure_);
}

void Schedule::job(const std::function<void(Chain&, std::size_t)>& work) {
  std::unique_lock lock(mutex_);
  for (;;) {
    Line* line = nullptr;
    bool all_done = true;
    for (Line& other : lines_) {
      if (other.next == other.chain->size()) continue;
      all_done = false;
      if (other.taken) continue;
      if (!line || other.level < line->level || (other.level == line->level && other.left > line->left)) line = &other;
    }
    if (all_done || failure_) return;
    if (!line) {
      changed_.wait(lock);
      continue;
    }
    line->taken = true;
    lock.unlock();
    std::exception_ptr failure;
    try {
      work(*line->chain, line->order[line->next]);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (!failure_) failure_ = failure;
    line->left -= (*line->chain)[line->order[line->next++]].work();
    line->taken = false;
    changed_.notify_all();
  }
}

}  // namespace tutti
