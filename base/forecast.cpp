#include "base/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tutti {
namespace {

/// As if some had been seen whose times grow as those of wider kinds, or else in proportion to their sizes, so that
/// the first few do not tell a slope.
constexpr double kUsualSlope = 1, kUsualWeight = 0.05;
/// As if so many like the one in question had been seen that take what wider kinds, or those that it is like, say: the
/// first of a kind are short, and set up what all of it need.
constexpr double kTrustInWider = 0.2, kTrustInLike = 2;
constexpr double kShortest = 1e-6;  // what takes no time has no logarithm

}  // namespace

double Forecast::Fit::slope(double usual) const {
  const double mean_x = x / weight, mean_y = y / weight;
  const double spread = xx / weight - mean_x * mean_x, together = xy / weight - mean_x * mean_y;
  return (together + kUsualWeight * usual) / (spread + kUsualWeight);
}

double Forecast::Fit::log_seconds(double log_size, double usual_slope) const {
  return y / weight + slope(usual_slope) * (log_size - x / weight);
}

std::size_t Forecast::add(Item item) {
  items_.push_back(std::move(item));
  is_done_.push_back(false);
  return items_.size() - 1;
}

void Forecast::done(std::size_t number, double seconds, bool tells) {
  const Item& item = items_[number];
  is_done_[number] = true;
  ++done_;
  seconds_ += seconds;
  if (!tells) return;
  telling_seconds_ += seconds;
  work_ += item.size * item.times;
  // The longer ones tell more of what is left, which is longer still.
  const double weight = item.size * item.times, x = std::log(item.size),
               y = std::log(std::max(seconds, kShortest) / item.times);
  for (const std::string& kind : item.kinds) {
    Fit& fit = fits_[kind];
    fit.weight += weight;
    fit.x += weight * x;
    fit.y += weight * y;
    fit.xx += weight * x * x;
    fit.xy += weight * x * y;
  }
}

double Forecast::seconds_of(const Item& item) const {
  std::optional<double> found;  // the logarithm
  double slope = kUsualSlope;
  const auto narrow = [&](const std::vector<std::string>& kinds, double ratio, double trust_in_the_wider) {
    for (auto kind = kinds.rbegin(); kind != kinds.rend(); ++kind) {
      const auto fit = fits_.find(*kind);
      if (fit == fits_.end()) continue;
      const double here = std::log(ratio) + fit->second.log_seconds(std::log(item.size), slope),
                   count = fit->second.weight / (item.size * item.times);
      found = found ? (count * here + trust_in_the_wider * *found) / (count + trust_in_the_wider) : here;
      trust_in_the_wider = kTrustInWider;
      slope = fit->second.slope(slope);
    }
  };
  narrow(item.like, item.ratio, kTrustInWider);
  narrow(item.kinds, 1, kTrustInLike);
  if (found) return item.times * std::exp(*found);
  return work_ > 0 ? item.ratio * telling_seconds_ / work_ * item.size * item.times : 0;
}

double Forecast::part_done() const {
  double left = 0;
  for (std::size_t i = 0; i < items_.size(); ++i)
    if (!is_done_[i]) left += seconds_of(items_[i]);
  if (done_ == items_.size()) return 1;
  return telling_seconds_ > 0 ? seconds_ / (seconds_ + left) : 0;
}

}  // namespace tutti
