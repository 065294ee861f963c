#include "selection/sweep_progress.hpp"

#include <sys/resource.h>

#include <ctime>

namespace tutti {
namespace {

double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Of all processes that this one has started and seen end.
double children_seconds() {
  rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

SweepProgress::SweepProgress(Callback progress)
    : progress_(std::move(progress)), children_seconds_(children_seconds()) {}

double SweepProgress::step(std::size_t number, const std::function<bool()>& work) {
  const double begin = thread_seconds();
  const bool tells = work();
  const double taken = thread_seconds() - begin;
  const std::lock_guard lock(mutex_);
  const double before = children_seconds_;
  children_seconds_ = children_seconds();
  const double seconds = taken + children_seconds_ - before;
  forecast_.done(number, seconds, tells);
  if (progress_) progress_(forecast_.items_done(), forecast_.items(), [&] { return forecast_.part_done(); });
  return seconds;
}

}  // namespace tutti
