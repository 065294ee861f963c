#include "selection/curve.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace tutti {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// The cost of one operation by its size, and the sizes at which it changes its form.
struct Cost {
  std::function<double(double)> seconds;
  std::vector<double> breaks;
};

/// Of the links between the first core and one so far from it.
double links_seconds(const Network& network, Distance distance) {
  double longest = 0;
  std::vector<LinkId> route;
  const int in_node = network.cores() / network.nodes();
  for (const int core : {in_node - 1, network.cores() - 1}) {
    if (network.distance(0, core) != distance) continue;
    network.route(0, core, route);
    double seconds = 0;
    for (const LinkId link : route) seconds += network.links()[link].latency_seconds;
    longest = std::max(longest, seconds);
  }
  return longest;
}

std::vector<Cost> costs_of(const Machine& machine, const std::vector<Distance>& distances) {
  std::vector<Cost> costs;
  for (const Distance distance : distances) {
    const Transport& transport = machine.transport(distance);
    Cost cost;
    cost.seconds = [&transport, links_seconds = links_seconds(*machine.network, distance)](double bytes) {
      const auto whole = static_cast<std::int64_t>(bytes);
      const Segment& segment = transport.segment(whole);
      double seconds = transport.send_overhead_seconds + transport.receive_overhead_seconds + segment.latency_seconds +
                       bytes / segment.bandwidth_bytes_per_second;
      if (transport.is_eager(whole, true) || transport.is_eager(whole, false))
        seconds += 2 * bytes * transport.eager_copy_seconds_per_byte;
      if (!transport.is_eager(whole, false))
        seconds += transport.announcement_seconds(links_seconds) + transport.clearance_seconds(links_seconds);
      if (!transport.is_eager(whole, false) || transport.is_acknowledged(whole))
        seconds += transport.send_end_seconds(whole, transport.is_eager(whole, false), links_seconds);
      return seconds;
    };
    for (const Segment& segment : transport.segments) cost.breaks.push_back(static_cast<double>(segment.up_to_bytes));
    for (const std::int64_t limit :
         {transport.eager_limit_bytes, transport.blocking_eager_limit_bytes, transport.acknowledged_above_bytes})
      cost.breaks.push_back(static_cast<double>(limit));
    costs.push_back(std::move(cost));
  }
  for (const Compute::Rate* rate : {&machine.compute.copy, &machine.compute.reduce})
    costs.push_back({[rate](double bytes) { return rate->seconds(static_cast<std::int64_t>(bytes)); },
                     {static_cast<double>(rate->cache_bytes), 2.0 * static_cast<double>(rate->cache_bytes),
                      4.0 * static_cast<double>(rate->cache_bytes)}});
  return costs;
}

/// `fresh_seconds_per_byte`: what is written at one size may cost that besides, and not at the other.
SizeScaling::Factors factors(const std::vector<Cost>& costs, double from, double to, double fresh_seconds_per_byte) {
  if (from == to) return {1, 1};
  if (from == 0) return {1, kUnknown};
  if (to == 0) return {0, kUnknown};
  const double scale = to / from;
  SizeScaling::Factors result{std::min(1.0, scale), std::max(1.0, scale)};
  for (const Cost& cost : costs) {
    std::vector<double> sizes{from};
    for (double size = 1; size < from; size *= 2) sizes.push_back(size);
    for (const double at : cost.breaks)
      for (const double size : {at, at + 1, std::floor(at / scale), std::floor(at / scale) + 1})
        if (size >= 1 && size <= from) sizes.push_back(size);
    for (const double size : sizes) {
      if (size * scale < 1) continue;
      const double before = cost.seconds(size), after = cost.seconds(size * scale);
      if (before <= 0) continue;
      result.least = std::min(result.least, after / (before + fresh_seconds_per_byte * size));
      result.most = std::max(result.most, (after + fresh_seconds_per_byte * size * scale) / before);
    }
  }
  return result;
}

}  // namespace

SizeScaling::SizeScaling(const Machine& machine, const std::vector<Distance>& distances,
                         std::vector<std::int64_t> bytes)
    : bytes_(std::move(bytes)) {
  const std::vector<Cost> costs = costs_of(machine, distances);
  const Compute::Temporary& fresh = machine.compute.temporary;
  fresh_from_bytes_ = fresh.seconds_per_byte > 0 ? std::min(fresh.mapped_from_bytes / 2, fresh.trimmed_from_bytes / 8)
                                                 : std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t from : bytes_)
    for (const std::int64_t to : bytes_)
      factors_.push_back(factors(costs, static_cast<double>(from), static_cast<double>(to),
                                 std::max(from, to) < fresh_from_bytes_ ? 0 : fresh.seconds_per_byte));
}

TimeCurve::TimeCurve(const SizeScaling& scaling, std::vector<double> lower, std::vector<Piece> pieces)
    : scaling_(&scaling),
      floor_(std::move(lower)),
      pieces_(std::move(pieces)),
      known_(pieces_.size()),
      error_(pieces_.size(), 0),
      more_than_(pieces_.size(), 0),
      lower_(floor_) {
  upper_.assign(pieces_.size(), kUnknown);
}

void TimeCurve::set(std::size_t i, double seconds, double error) {
  known_[i] = seconds;
  error_[i] = error;
  for (std::size_t j = 0; j < pieces_.size(); ++j) narrow(j);
}

void TimeCurve::set_more_than(std::size_t i, double seconds) {
  more_than_[i] = std::max(more_than_[i], seconds);
  for (std::size_t j = 0; j < pieces_.size(); ++j) narrow(j);
}

void TimeCurve::narrow(std::size_t i) {
  if (known_[i]) {
    lower_[i] = *known_[i] * (1 - error_[i]);
    upper_[i] = *known_[i] * (1 + error_[i]);
    return;
  }
  lower_[i] = std::max(floor_[i], more_than_[i]);
  upper_[i] = kUnknown;
  for (std::size_t j = 0; j < pieces_.size(); ++j) {
    if (!runs_alike(i, j)) continue;
    const SizeScaling::Factors& factors = scaling_->between(j, i);
    const bool is_known = known_[j] && std::isfinite(*known_[j]);
    const double least_there = std::max(is_known ? *known_[j] * (1 - error_[j]) : 0, more_than_[j]);
    lower_[i] = std::max(lower_[i], kLowerHolds * least_there * factors.least);
    if (is_known && std::isfinite(factors.most))
      upper_[i] = std::min(upper_[i], *known_[j] * (1 + error_[j]) * factors.most);
  }
  upper_[i] = std::max(upper_[i], lower_[i]);
  narrow_by_convexity(i);
}

bool TimeCurve::runs_alike(std::size_t i, std::size_t j) const {
  return pieces_[i].algorithm == pieces_[j].algorithm && pieces_[i].waited_for == pieces_[j].waited_for;
}

/// The nearest simulated size in that direction which tells of this one.
std::optional<std::size_t> TimeCurve::neighbour(std::size_t i, int step) const {
  for (std::size_t j = i + static_cast<std::size_t>(step); j < pieces_.size(); j += static_cast<std::size_t>(step))
    if (known_[j] && std::isfinite(*known_[j]) && runs_alike(j, i)) return j;
  return std::nullopt;
}

/// Both, if they are near enough for the time to be convex between.
std::optional<TimeCurve::Neighbours> TimeCurve::near_neighbours(std::size_t i) const {
  const auto before = neighbour(i, -1), after = neighbour(i, +1);
  if (!before || !after) return std::nullopt;
  const std::int64_t first = scaling_->bytes()[*before], last = scaling_->bytes()[*after];
  if (first == 0 || last > 4 * first || scaling_->may_take_fresh_memory(*after)) return std::nullopt;
  return Neighbours{*before, *after};
}

/// Through the times of two sizes.
double TimeCurve::on_line(std::size_t a, std::size_t b, std::size_t i) const {
  const auto at = [&](std::size_t j) { return static_cast<double>(scaling_->bytes()[j]); };
  return *known_[a] + (*known_[b] - *known_[a]) * (at(i) - at(a)) / (at(b) - at(a));
}

std::optional<double> TimeCurve::between_neighbours(std::size_t i) const {
  const auto near = near_neighbours(i);
  if (!near) return std::nullopt;
  return std::clamp(on_line(near->before, near->after, i), lower_[i], upper_[i]);
}

void TimeCurve::narrow_by_convexity(std::size_t i) {
  const auto near = near_neighbours(i);
  if (!near) return;
  double below = -kUnknown;
  if (const auto further = neighbour(near->before, -1); further && scaling_->bytes()[*further] > 0)
    below = on_line(*further, near->before, i);
  if (const auto beyond = neighbour(near->after, +1); beyond && !scaling_->may_take_fresh_memory(*beyond))
    below = std::max(below, on_line(near->after, *beyond, i));
  const double above = on_line(near->before, near->after, i);
  if (below > above) return;
  lower_[i] = std::max(lower_[i], kLowerHolds * below);
  upper_[i] = std::max(lower_[i], std::min(upper_[i], above));
}

}  // namespace tutti
