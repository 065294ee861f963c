#include "selection/extrapolate.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "algos/what_runs.hpp"
#include "selection/candidates.hpp"
#include "selection/losses.hpp"
#include "selection/node_bounds.hpp"
#include "selection/rank_work.hpp"

namespace tutti {
namespace {

constexpr double kLocalPerMessage = 4;  // so many copies take about as long to simulate as a message

/// Where every rank sends to every other, all messages may be under way at once, and whoever shares links among them
/// has the more to do for each.
bool floods(const Simulations& simulations, const Query& query) {
  return simulations.messages(query) >= static_cast<double>(query.place.ranks()) * (query.place.ranks() - 1);
}

/// The same algorithm with the same parameters in both.
bool alike(const Query& a, const Query& b) {
  const Case case_a = case_for(a.place, a.bytes), case_b = case_for(b.place, b.bytes);
  return why_not(b.choice, case_b).empty() && normalized(a.choice, case_a) == normalized(b.choice, case_b);
}

/// Whether the same parts run in both: where leaves are filled unevenly, or blocks are empty, others may.
bool parts_alike(const Simulations& simulations, const Query& a, const Query& b) {
  const auto run = [&](const Query& query) {
    return what_runs(query.choice, case_for(query.place, query.bytes), simulations.places(query.place));
  };
  return !resolve(a.choice, case_for(a.place, a.bytes)).algorithm->is_by_node() || run(a) == run(b);
}

/// What is simulated instead.
struct Smaller {
  Query nearer;
  std::optional<Query> farther, farthest;                                // the latter over segments alone
  double nearer_at = 0, farther_at = 0, farthest_at = 0, wanted_at = 0;  // along the line
};

/// Whether between two sizes of a reduction what it works on may grow out of a cache, or what it takes for itself to
/// where memory is fresh: of all buffers of a call, a third to three times its size.
bool changes_memory(const Compute& compute, const Query& smaller, const Query& larger) {
  if (!is_reduction(larger.place.collective)) return false;
  const auto crosses = [&](double from, double to) {
    return static_cast<double>(larger.bytes) > from && static_cast<double>(smaller.bytes) < to;
  };
  const auto cache = static_cast<double>(compute.reduce.cache_bytes);
  if (compute.reduce.by_call && crosses(cache / 3, 4 * cache)) return true;
  const Compute::Temporary& fresh = compute.temporary;
  const auto mapped = static_cast<double>(fresh.mapped_from_bytes),
             trimmed = static_cast<double>(fresh.trimmed_from_bytes);
  return fresh.costs() &&
         (crosses(mapped / 2, 2 * std::max(mapped, static_cast<double>(fresh.all_mapped_from_bytes))) ||
          crosses(trimmed / 8, 4 * trimmed));
}

Losses losses_of(const Simulations& simulations, const Query& query) {
  const Case c = case_for(query.place, query.bytes);
  return losses_of(simulations.machine().for_job(c.ranks), normalized(query.choice, c), simulations.counts(query), c,
                   query.place);
}

/// Whether the budget allows to simulate it, and no message may be lost there.
bool tells(const Simulations& simulations, const Query& smaller, const MessageBudget& budget) {
  return affordable(simulations, smaller, budget) && !losses_of(simulations, smaller).may_be();
}

/// Half as many segments, again and again, until it is affordable; and half of that, and a quarter.
std::optional<Smaller> fewer_segments(const Simulations& simulations, const Query& query, const MessageBudget& budget) {
  const std::int64_t element = case_for(query.place, query.bytes).element_bytes;
  const auto with_bytes = [&](std::int64_t bytes) {
    Query other = query;
    other.bytes = bytes / element * element;
    return other;
  };
  for (std::int64_t bytes = query.bytes / 2; bytes >= 4 * element; bytes /= 2) {
    const Query nearer = with_bytes(bytes), farther = with_bytes(bytes / 2);
    if (!alike(query, nearer) || !alike(query, farther)) return std::nullopt;
    if (simulations.messages(farther) >= simulations.messages(nearer)) return std::nullopt;  // no segments
    if (!tells(simulations, nearer, budget)) continue;
    const Query farthest = with_bytes(bytes / 4);
    if (!alike(query, farthest) || simulations.messages(farthest) >= simulations.messages(farther)) return std::nullopt;
    for (const Query& other : {nearer, farther, farthest})
      if (!parts_alike(simulations, query, other)) return std::nullopt;
    if (changes_memory(simulations.machine().compute, farther, query)) return std::nullopt;
    const auto at = [](const Query& one) { return static_cast<double>(one.bytes); };
    return Smaller{nearer, farther, farthest, at(nearer), at(farther), at(farthest), at(query)};
  }
  return std::nullopt;
}

/// Whether more ranks take more, by all that is declared: else they go another way, as some exchanges do on even
/// numbers of ranks.
bool takes_more(const Simulations& simulations, const Query& fewer, const Query& query) {
  const std::optional<Counts> before = simulations.counts(fewer), after = simulations.counts(query);
  return !before || !after || least_growth(*before, fewer.place.ranks(), *after, query.place.ranks()) > 1 - 1e-9;
}

/// The most nodes that are affordable, and, where these are enough, about half of them.
std::optional<Smaller> fewer_nodes(const Simulations& simulations, const Query& query, const MessageBudget& budget) {
  const Machine& machine = simulations.machine();
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
    return alike(query, other) &&
           machine.is_larger_job(other.place.ranks()) == machine.is_larger_job(query.place.ranks());
  };
  const auto goes_the_same_way = [&](const Query& other) {
    return takes_more(simulations, other, query) && parts_alike(simulations, query, other);
  };
  int nodes = query.place.nodes - 1;
  while (nodes >= 2 &&
         !(stands_for(nodes) && tells(simulations, with_nodes(nodes), budget) && goes_the_same_way(with_nodes(nodes))))
    --nodes;
  if (nodes < 2) return std::nullopt;
  Smaller smaller{with_nodes(nodes),
                  std::nullopt,
                  std::nullopt,
                  static_cast<double>(nodes),
                  0,
                  0,
                  static_cast<double>(query.place.nodes)};
  const auto take_farther = [&](int fewer) {
    if (smaller.farther || !stands_for(fewer) || !goes_the_same_way(with_nodes(fewer))) return;
    smaller.farther = with_nodes(fewer);
    smaller.farther_at = fewer;
  };
  const int half = (nodes + 1) / 2;
  for (int fewer = std::min(half, nodes - 1); fewer >= 2; --fewer) take_farther(fewer);
  for (int fewer = half + 1; fewer <= nodes * 3 / 4; ++fewer) take_farther(fewer);  // nearer ones give no sure slope
  return smaller;
}

/// By which the larger one takes longer than the smaller, which runs the same.
double least_growth(const Simulations& simulations, const Query& smaller, const Query& larger) {
  const auto counts = [&](const Query& query) { return simulations.counts(query); };
  const std::optional<Counts> before = counts(smaller), after = counts(larger);
  return before && after ? kLessOnMoreNodes *
                               std::min(1.0, least_growth(*before, smaller.place.ranks(), *after, larger.place.ranks()))
                         : kLessOnMoreNodes;
}

/// By which factor what is declared of the wanted one (rounds, messages of a rank, bytes of a rank) is above the line
/// through the smaller ones, where that is most: what goes by the factors of a number of ranks may take many times the
/// rounds on the next one. 1 where that is within the error over nodes, as steps of logarithms are.
double beyond_line(const Simulations& simulations, const Smaller& smaller, const Query& query) {
  const std::optional<Counts> nearer = simulations.counts(smaller.nearer),
                              farther = simulations.counts(*smaller.farther), wanted = simulations.counts(query);
  if (!nearer || !farther || !wanted) return 1;
  const double way = (smaller.wanted_at - smaller.nearer_at) / (smaller.nearer_at - smaller.farther_at);
  double most = 1;
  const auto consider = [&](double there, double before, double here) {
    const double on_line = there + std::max(0.0, there - before) * way;
    if (on_line > 0) most = std::max(most, here / on_line);
  };
  const int ranks[]{smaller.farther->place.ranks(), smaller.nearer.place.ranks(), query.place.ranks()};
  consider(nearer->rounds, farther->rounds, wanted->rounds);
  consider(nearer->messages / ranks[1], farther->messages / ranks[0], wanted->messages / ranks[2]);
  consider(nearer->bytes / ranks[1], farther->bytes / ranks[0], wanted->bytes / ranks[2]);
  return most > 1 + kErrorOverNodes ? most : 1;
}

/// `more_seconds`: what may come on top, or not. What is said is the middle, then.
Evaluation inferred_time(double seconds, double error, double more_seconds) {
  if (seconds == kRefused || more_seconds == 0) return {{seconds, false}, false, error};
  const double least = seconds * (1 - error), most = seconds * (1 + error) + more_seconds;
  return {{(least + most) / 2, false}, false, (most - least) / (most + least)};
}

double lower_bound(LowerBounds& bounds, const Query& query) {
  const Case c = case_for(query.place, query.bytes);
  return bounds.seconds(resolve(query.choice, c), c);
}

Evaluation evaluate_within(double most_seconds, Simulations& simulations, const std::string& engine, const Query& query,
                           const MessageBudget& budget, LowerBounds& bounds) {
  std::optional<Smaller> smaller;
  double error = kErrorOverNodes;
  double more_seconds = losses_of(simulations, query).most_seconds();
  const auto inferred = [&](double seconds) { return inferred_time(seconds, error, more_seconds); };
  for (double more = 1; !smaller; more *= 4) {
    if (more > kLargestBudgetFactor) return inferred(kRefused);
    const MessageBudget here = budget.times(more);
    if (affordable(simulations, query, here))
      return {simulations.times(engine, {&query, 1}, most_seconds).front(), true};
    smaller = fewer_segments(simulations, query, here.of_smaller());
    if (!smaller) smaller = fewer_nodes(simulations, query, here.of_smaller());
  }
  std::optional<double> times[3];  // the farthest first
  const std::optional<Query> others[]{smaller->farthest, smaller->farther, smaller->nearer};
  for (std::size_t i = 0; i < 3; ++i) {
    if (!others[i]) continue;
    const double most_there = most_seconds / least_growth(simulations, *others[i], query);
    const Time time = simulations.times(engine, {&*others[i], 1}, most_there).front();
    if (time.exceeded) return {{most_seconds, true}, false};
    if (time.seconds == kRefused) return inferred(kRefused);
    times[i] = time.seconds;
  }
  const double nearer = *times[2], least = lower_bound(bounds, query);
  double seconds = least;
  if (times[1]) {
    const double way = smaller->wanted_at - smaller->nearer_at;
    const double slope = (nearer - *times[1]) / (smaller->nearer_at - smaller->farther_at);
    seconds = std::max(least, nearer + std::max(0.0, slope) * way);
    if (times[0]) {
      const double before = (*times[1] - *times[0]) / (smaller->farther_at - smaller->farthest_at);
      const double as_before = nearer + std::max(0.0, before) * way;
      error = std::min(kLargestError, kErrorOverSegments + std::abs(as_before - seconds) / seconds);
    } else {
      more_seconds += seconds * (1 + error) * (beyond_line(simulations, *smaller, query) - 1);
    }
    if (query.place.collective != Collective::alltoall || !floods(simulations, query)) return inferred(seconds);
  }
  const Place& place = smaller->nearer.place;
  LowerBounds bounds_there(simulations.machine(place), simulations.mode(), simulations.cores(place), place.nodes,
                           place.ppn);
  const double least_there = lower_bound(bounds_there, smaller->nearer);
  if (least_there > 0) return inferred(std::max(seconds, nearer * least / least_there));
  return inferred(times[1] ? seconds : kRefused);
}

}  // namespace

MessageBudget MessageBudget::of(double most_messages) {
  const MessageBudget usual;
  MessageBudget budget;
  budget.whole = most_messages;
  budget.in_all = std::max(std::min(most_messages, usual.in_all), most_messages * usual.in_all / usual.whole);
  budget.per_rank = usual.per_rank * budget.in_all / usual.in_all;
  return budget;
}

double MessageBudget::most(int ranks) const {
  const double most = std::max(in_all, per_rank * ranks), rings = 2.0 * ranks * (ranks - 1.0);
  return rings <= whole ? std::max(most, whole) : most;
}

bool affordable(const Simulations& simulations, const Query& query, const MessageBudget& budget) {
  const double most = budget.most(query.place.ranks());
  if (simulations.messages(query) > most) return false;
  if (budget.in_all == std::numeric_limits<double>::infinity()) return true;
  const Case c = case_for(query.place, query.bytes);
  return static_cast<double>(
             work_of_middle_rank(resolve(query.choice, c), c, simulations.machine().compute).local_operations) *
             c.ranks <=
         kLocalPerMessage * most;
}

Evaluation evaluate(Simulations& simulations, const std::string& engine, const Query& query,
                    const MessageBudget& budget, LowerBounds& bounds, double most_seconds, double upper_seconds) {
  const Evaluation found = evaluate_within(most_seconds, simulations, engine, query, budget, bounds);
  if (!found.time.exceeded || upper_seconds > most_seconds) return found;
  return evaluate_within(std::numeric_limits<double>::infinity(), simulations, engine, query, budget, bounds);
}

}  // namespace tutti
