#include "selection/schedule.hpp"

#include <thread>

namespace tutti {

Schedule::Schedule(std::vector<Chain>& chains) {
  for (Chain& chain : chains) {
    lines_.push_back({&chain, 0, 0, false});
    for (const Part& part : chain) lines_.back().left += part.work();
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
      if (!other.taken && (!line || other.left > line->left)) line = &other;
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
      work(*line->chain, line->next);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (!failure_) failure_ = failure;
    line->left -= (*line->chain)[line->next++].work();
    line->taken = false;
    changed_.notify_all();
  }
}

}  // namespace tutti
