#include "selection/sweep_progress.hpp"

#include <algorithm>
#include <chrono>

namespace tutti {

std::size_t SweepProgress::expect(const std::string& what, const Place& place, std::size_t sizes, double ratio) {
  const auto kinds = [&](const std::string& of) {
    const std::string collective = of + " " + std::string(name_of(place.collective));
    return std::vector{collective + " " + std::to_string(place.ppn), collective, of};
  };
  const double times = static_cast<double>(std::max<std::size_t>(sizes, 1));
  const auto like = what == "search" ? std::vector<std::string>() : kinds("search");
  return forecast_.add({kinds(what), static_cast<double>(place.ranks()), times, like, ratio});
}

void SweepProgress::step(std::size_t number, const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  const std::lock_guard lock(mutex_);
  forecast_.done(number, taken.count());
  if (progress_) progress_(forecast_.items_done(), forecast_.items(), [&] { return forecast_.part_done(); });
}

}  // namespace tutti
