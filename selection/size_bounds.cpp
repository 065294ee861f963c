#include "selection/size_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "selection/unknown.hpp"

namespace tutti {
SizeBounds::SizeBounds(const SizeScaling& scaling, std::vector<TimeBounds> beforehand, std::vector<Regime> regimes)
    : scaling_(&scaling),
      beforehand_(std::move(beforehand)),
      regimes_(std::move(regimes)),
      known_(regimes_.size()),
      error_(regimes_.size(), 0),
      more_than_(regimes_.size(), 0) {
  for (const TimeBounds& bounds : beforehand_) {
    lower_.push_back(bounds.lower);
    upper_.push_back(std::max(bounds.lower, bounds.upper));
  }
}

void SizeBounds::set(std::size_t i, double seconds, double error) {
  known_[i] = seconds;
  error_[i] = error;
  for (std::size_t j = 0; j < regimes_.size(); ++j) narrow(j);
}

void SizeBounds::set_more_than(std::size_t i, double seconds) {
  more_than_[i] = std::max(more_than_[i], seconds);
  for (std::size_t j = 0; j < regimes_.size(); ++j) narrow(j);
}

void SizeBounds::narrow(std::size_t i) {
  if (known_[i]) {
    lower_[i] = *known_[i] * (1 - error_[i]);
    upper_[i] = *known_[i] * (1 + error_[i]);
    return;
  }
  lower_[i] = std::max(beforehand_[i].lower, more_than_[i]);
  upper_[i] = beforehand_[i].upper;
  for (std::size_t j = 0; j < regimes_.size(); ++j) {
    if (!runs_alike(i, j)) continue;
    const SizeScaling::Factors& factors = scaling_->between(j, i);
    const bool is_known = known_[j] && std::isfinite(*known_[j]);
    const double least_there = std::max(is_known ? *known_[j] * (1 - error_[j]) : 0, more_than_[j]);
    lower_[i] = std::max(lower_[i], kTrustedShare * least_there * factors.least);
    if (is_known && std::isfinite(factors.most))
      upper_[i] = std::min(upper_[i], *known_[j] * (1 + error_[j]) * factors.most);
  }
  upper_[i] = std::max(upper_[i], lower_[i]);
  narrow_by_convexity(i);
}

bool SizeBounds::runs_alike(std::size_t i, std::size_t j) const {
  return regimes_[i].algorithm == regimes_[j].algorithm && regimes_[i].waited_for == regimes_[j].waited_for &&
         regimes_[i].messages == regimes_[j].messages;
}

/// The nearest simulated size in that direction which tells of this one.
std::optional<std::size_t> SizeBounds::neighbour(std::size_t i, int step) const {
  for (std::size_t j = i + static_cast<std::size_t>(step); j < regimes_.size(); j += static_cast<std::size_t>(step))
    if (known_[j] && std::isfinite(*known_[j]) && runs_alike(j, i)) return j;
  return std::nullopt;
}

/// Both, if they are near enough for the time to be convex between.
std::optional<SizeBounds::Neighbours> SizeBounds::near_neighbours(std::size_t i) const {
  const auto before = neighbour(i, -1), after = neighbour(i, +1);
  if (!before || !after) return std::nullopt;
  const std::int64_t first = scaling_->bytes()[*before], last = scaling_->bytes()[*after];
  if (first == 0 || last > 4 * first || scaling_->may_take_fresh_memory(*after)) return std::nullopt;
  return Neighbours{*before, *after};
}

/// Through the times of two sizes.
double SizeBounds::on_line(std::size_t a, std::size_t b, std::size_t i) const {
  const auto at = [&](std::size_t j) { return static_cast<double>(scaling_->bytes()[j]); };
  return *known_[a] + (*known_[b] - *known_[a]) * (at(i) - at(a)) / (at(b) - at(a));
}

std::optional<double> SizeBounds::between_neighbours(std::size_t i) const {
  const auto near = near_neighbours(i);
  if (!near) return std::nullopt;
  return std::clamp(on_line(near->before, near->after, i), lower_[i], upper_[i]);
}

void SizeBounds::narrow_by_convexity(std::size_t i) {
  const auto near = near_neighbours(i);
  if (!near) return;
  double below = -kUnknown;
  if (const auto further = neighbour(near->before, -1); further && scaling_->bytes()[*further] > 0)
    below = on_line(*further, near->before, i);
  if (const auto beyond = neighbour(near->after, +1); beyond && !scaling_->may_take_fresh_memory(*beyond))
    below = std::max(below, on_line(near->after, *beyond, i));
  const double above = on_line(near->before, near->after, i);
  if (below > above) return;
  lower_[i] = std::max(lower_[i], kTrustedShare * below);
  upper_[i] = std::max(lower_[i], std::min(upper_[i], above));
}

}  // namespace tutti
