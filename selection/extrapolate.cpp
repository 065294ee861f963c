#include "selection/extrapolate.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "selection/candidates.hpp"

namespace tutti {
namespace {

double messages_of(const Query& query) {
  const Case c = case_for(query.place, query.bytes);
  const Choice real = essence(query.choice, c);
  const Quantity& declared = real.algorithm->messages();
  return declared.text().empty() ? 0 : declared(Facts(c, real.parameters));
}

/// In an all-to-all where every block goes straight to its destination all messages may be under way at once, and
/// whoever shares links among them has the more to do for each.
bool floods(const Query& query) {
  return query.place.collective == Collective::alltoall &&
         messages_of(query) >= static_cast<double>(query.place.ranks()) * (query.place.ranks() - 1);
}

bool affordable(const Query& query, const MessageBudget& budget) {
  const double in_all = floods(query) ? budget.in_all / 4 : budget.in_all;
  return messages_of(query) <= std::max(in_all, budget.per_rank * query.place.ranks());
}

/// The same algorithm with the same parameters in both.
bool alike(const Query& a, const Query& b) {
  const Case case_a = case_for(a.place, a.bytes), case_b = case_for(b.place, b.bytes);
  return why_not(b.choice, case_b).empty() && essence(a.choice, case_a) == essence(b.choice, case_b);
}

/// What is simulated instead.
struct Smaller {
  Query nearer;
  std::optional<Query> farther;
  double nearer_at = 0, farther_at = 0, wanted_at = 0;  // along the line
};

/// Half as many segments, again and again, until it is affordable; and half of that.
std::optional<Smaller> fewer_segments(const Query& query, const MessageBudget& budget) {
  const std::int64_t element = case_for(query.place, query.bytes).element_bytes;
  const auto with_bytes = [&](std::int64_t bytes) {
    Query other = query;
    other.bytes = bytes / element * element;
    return other;
  };
  for (std::int64_t bytes = query.bytes / 2; bytes >= 4 * element; bytes /= 2) {
    const Query nearer = with_bytes(bytes), farther = with_bytes(bytes / 2);
    if (!alike(query, nearer) || !alike(query, farther)) return std::nullopt;
    if (messages_of(farther) >= messages_of(nearer)) return std::nullopt;  // no segments
    if (affordable(nearer, budget))
      return Smaller{nearer, farther, static_cast<double>(nearer.bytes), static_cast<double>(farther.bytes),
                     static_cast<double>(query.bytes)};
  }
  return std::nullopt;
}

/// The most nodes that are affordable, and, where these are enough, about half of them.
std::optional<Smaller> fewer_nodes(const Query& query, const MessageBudget& budget, const Machine& machine) {
  const Case c = case_for(query.place, query.bytes);
  const auto with_nodes = [&](int nodes) {
    Query other = query;
    other.place.nodes = nodes;
    const double scale = static_cast<double>(nodes) / query.place.nodes;
    const auto elements = std::llround(static_cast<double>(query.bytes) / c.element_bytes * scale);
    other.bytes = total_bytes(case_for(other.place, elements * c.element_bytes));
    return other;
  };
  const auto stands_for = [&](int nodes) {
    const Query other = with_nodes(nodes);
    return alike(query, other) && &machine.for_job(other.place.ranks()) == &machine.for_job(query.place.ranks());
  };
  int nodes = query.place.nodes - 1;
  while (nodes >= 2 && !(stands_for(nodes) && affordable(with_nodes(nodes), budget))) --nodes;
  if (nodes < 2) return std::nullopt;
  Smaller smaller{with_nodes(nodes), std::nullopt, static_cast<double>(nodes), 0,
                  static_cast<double>(query.place.nodes)};
  for (int fewer = (nodes + 1) / 2; fewer >= 2 && !smaller.farther; --fewer)
    if (fewer < nodes && stands_for(fewer)) {
      smaller.farther = with_nodes(fewer);
      smaller.farther_at = fewer;
    }
  return smaller;
}

double lower_bound(LowerBounds& bounds, const Query& query) {
  const Case c = case_for(query.place, query.bytes);
  return bounds.seconds(resolve(query.choice, c), c);
}

}  // namespace

Evaluation evaluate(Simulations& simulations, const std::string& engine, const Query& query,
                    const MessageBudget& budget, LowerBounds& bounds) {
  if (affordable(query, budget)) return {simulations.seconds(engine, query), true};
  std::optional<Smaller> smaller = fewer_segments(query, budget);
  if (!smaller) smaller = fewer_nodes(query, budget, simulations.machine());
  if (!smaller) return {kRefused, false};
  const double nearer = simulations.seconds(engine, smaller->nearer), least = lower_bound(bounds, query);
  if (nearer == kRefused) return {kRefused, false};
  double seconds = least;
  if (smaller->farther) {
    const double farther = simulations.seconds(engine, *smaller->farther);
    if (farther == kRefused) return {kRefused, false};
    const double slope = (nearer - farther) / (smaller->nearer_at - smaller->farther_at);
    seconds = std::max(least, nearer + std::max(0.0, slope) * (smaller->wanted_at - smaller->nearer_at));
    if (!floods(query)) return {seconds, false};
  }
  const Place& place = smaller->nearer.place;
  LowerBounds bounds_there(simulations.machine(), simulations.mode(), simulations.cores(place), place.nodes, place.ppn);
  const double least_there = lower_bound(bounds_there, smaller->nearer);
  if (least_there > 0) return {std::max(seconds, nearer * least / least_there), false};
  return {smaller->farther ? seconds : kRefused, false};
}

}  // namespace tutti
