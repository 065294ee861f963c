#include "selection/size_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "selection/unknown.hpp"

namespace tutti {
namespace {

/// The cost of one operation by its size, and the sizes at which it changes its form.
struct Cost {
  std::function<double(double)> seconds;
  std::vector<double> breaks;
  std::function<double(double)> fresh_seconds;  // besides, where memory is fresh
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
    const double registrations =
        distance == Distance::network ? 2 * machine.compute.temporary.registration_seconds : 0;  // both sides
    cost.fresh_seconds = [&transport, registrations](double bytes) {
      return transport.is_eager(static_cast<std::int64_t>(bytes), false) ? 0 : registrations;
    };
    costs.push_back(std::move(cost));
  }
  for (const Compute::Rate* rate : {&machine.compute.copy, &machine.compute.reduce})
    costs.push_back({[rate](double bytes) { return rate->seconds(static_cast<std::int64_t>(bytes)); },
                     {static_cast<double>(rate->cache_bytes), 2.0 * static_cast<double>(rate->cache_bytes),
                      4.0 * static_cast<double>(rate->cache_bytes)},
                     [](double) { return 0; }});
  return costs;
}

/// `fresh`: what memory for the time of the call costs may come besides at one size, and not at the other.
SizeScaling::Factors factors(const std::vector<Cost>& costs, double from, double to, const Compute::Temporary& fresh) {
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
      const auto fresh_seconds = [&](double bytes) {
        return fresh.costs() ? fresh.seconds_per_byte * bytes + cost.fresh_seconds(bytes) : 0;
      };
      result.least = std::min(result.least, after / (before + fresh_seconds(size)));
      result.most = std::max(result.most, (after + fresh_seconds(size * scale)) / before);
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
  fresh_from_bytes_ = fresh.costs() ? std::min(fresh.mapped_from_bytes / 2, fresh.trimmed_from_bytes / 8)
                                    : std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t from : bytes_)
    for (const std::int64_t to : bytes_)
      factors_.push_back(factors(costs, static_cast<double>(from), static_cast<double>(to),
                                 std::max(from, to) < fresh_from_bytes_ ? Compute::Temporary{} : fresh));
}

}  // namespace tutti
