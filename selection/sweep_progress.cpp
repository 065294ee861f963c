#include "selection/sweep_progress.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <ctime>

#include "selection/sweep_plan.hpp"

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

constexpr const char* kSearch = "search";

std::vector<std::string> kinds_of(const std::string& what, const Place& place) {
  const std::string collective = what + " " + std::string(name_of(place.collective));
  return {collective + " " + std::to_string(place.ppn), collective, what};
}

Forecast::Item item_of(std::vector<std::string> kinds, const Part& part, std::vector<std::string> like = {},
                       double ratio = 1) {
  const double sizes = static_cast<double>(std::max<std::size_t>(part.bytes.size(), 1)), ranks = part.place.ranks();
  return {std::move(kinds), ranks * ranks, sizes, std::move(like), ratio};
}

}  // namespace

Forecast::Item confirm_item(const Part& part, double messages) {
  return {kinds_of("confirm messages", part.place), 1 + messages};
}

SweepProgress::SweepProgress(Callback progress)
    : progress_(std::move(progress)), children_seconds_(children_seconds()) {}

Forecast::Item search_item(const Chain& piece, std::size_t i) {
  constexpr double kOfOthers = 0.4;  // 0.1 to 0.8 (Leonardo, 2 to 90 nodes)
  const Place& place = piece[i].place;
  if (!is_known_from_both_sides(piece, i)) return item_of(kinds_of(kSearch, place), piece[i]);
  return item_of(kinds_of("search between", place), piece[i], kinds_of(kSearch, place), kOfOthers);
}

Forecast::Item step_item(const std::string& what, const Part& part, double ratio) {
  return item_of(kinds_of(what, part.place), part, kinds_of(kSearch, part.place), ratio);
}

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
