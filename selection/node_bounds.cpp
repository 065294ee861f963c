#include "selection/node_bounds.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "algos/named_choice.hpp"

namespace tutti {
namespace {

bool folds(const Choice& real, int ranks) {
  if (const std::int64_t* radix = value_of(real, ParameterRole::radix); radix && *radix >= 2) {
    std::int64_t power = 1;
    while (power < ranks) power *= *radix;
    return power != ranks;
  }
  return !std::has_single_bit(static_cast<unsigned>(ranks));
}

/// Whether a fanout is as large as so few ranks have no use for, or a window may bind where there is more to send.
bool binds_later(const Choice& real, int ranks) {
  for (std::size_t i = 0; i < real.parameters.size(); ++i) {
    const ParameterRole role = real.algorithm->parameters()[i].role;
    const std::int64_t value = real.parameters[i].second;
    if (role == ParameterRole::window ? value > 0 : role != ParameterRole::segment && value + 1 >= ranks) return true;
  }
  return false;
}

/// How evenly leaves and groups divide the nodes decides what runs there: on Leonardo a reduce-scatter by leaves takes
/// half the time on 12 nodes of what it takes on 9.
bool divides_the_fabric(const Choice& real) {
  return std::any_of(real.parameters.begin(), real.parameters.end(), [](const auto& parameter) {
    const auto& [name, value] = parameter;
    return is_level(name) && level_of(name) > Level::node && value >= kFirstChoice && !is_none(value);
  });
}

bool is_known(const TimeBounds& seconds) { return seconds.lower > 0 && seconds.lower == seconds.upper; }

}  // namespace

double least_growth(const Counts& there, int ranks_there, const Counts& here, int ranks) {
  double least = INFINITY;
  const auto consider = [&](double before, double after) {
    if (before > 0) least = std::min(least, after / before);
  };
  consider(there.rounds, here.rounds);
  consider(there.messages / ranks_there, here.messages / ranks);
  consider(there.bytes / ranks_there, here.bytes / ranks);
  return std::isfinite(least) ? least : 0;
}

double lower_bound_by_fewer_nodes(const Estimate& there, int ranks_there, const Estimate& here, int ranks) {
  if (ranks_there < kFewRanks) return 0;
  if (!there.real.algorithm || there.real != here.real || !std::isfinite(there.seconds.lower)) return 0;
  if (!there.counts || !here.counts || there.protocols != here.protocols || there.may_lose_messages) return 0;
  if (folds(here.real, ranks_there) && !folds(here.real, ranks)) return 0;
  if (divides_the_fabric(here.real)) return 0;
  const double growth = least_growth(*there.counts, ranks_there, *here.counts, ranks);
  if (growth < 1) return 0;
  return kLessOnMoreNodes * growth * there.seconds.lower;
}

BetweenNodes bounds_between(const EstimateOnRanks& fewer, const EstimateOnRanks& more, const EstimateOnRanks& here) {
  if (fewer.ranks < kFewRanks || more.ranks > kCloseNodes * fewer.ranks) return {};
  const double share = static_cast<double>(here.ranks - fewer.ranks) / (more.ranks - fewer.ranks);
  const auto on_line = [share](double before, double after) { return before + share * (after - before); };
  const Estimate &a = fewer.estimate, &b = more.estimate, &c = here.estimate;
  const auto tells = [&](const EstimateOnRanks& there) {
    const Estimate& known = there.estimate;
    return known.real.algorithm && known.real == c.real && known.counts && known.protocols == c.protocols &&
           known.seconds.lower > 0 && std::isfinite(known.seconds.lower) &&
           folds(c.real, there.ranks) == folds(c.real, here.ranks);
  };
  if (!c.counts || !tells(fewer) || !tells(more)) return {};
  if (a.may_lose_messages || b.may_lose_messages || c.may_lose_messages) return {};
  const auto is_on_line = [&](double before, double after, double now) {
    return std::abs(now - on_line(before, after)) <= kCountsOffTheLine * now;
  };
  if (!is_on_line(a.counts->rounds, b.counts->rounds, c.counts->rounds) ||
      !is_on_line(a.counts->messages / fewer.ranks, b.counts->messages / more.ranks, c.counts->messages / here.ranks) ||
      !is_on_line(a.counts->bytes / fewer.ranks, b.counts->bytes / more.ranks, c.counts->bytes / here.ranks))
    return {};
  BetweenNodes between;
  between.seconds.lower = (1 - kOffTheLine) * on_line(a.seconds.lower, b.seconds.lower);
  if (std::isfinite(a.seconds.upper) && std::isfinite(b.seconds.upper))
    between.seconds.upper = (1 + kOffTheLine) * on_line(a.seconds.upper, b.seconds.upper);
  if (a.likely_seconds && b.likely_seconds) between.likely_seconds = on_line(*a.likely_seconds, *b.likely_seconds);
  return between;
}

bool are_equivalent_by_fewer_nodes(const Estimate& a_there, const Estimate& b_there, int ranks_there, const Estimate& a,
                                   const Estimate& b, int ranks) {
  // A search asks this of all pairs, most of which took other times: that first.
  return ranks_there >= kFewRanks && a_there.seconds.lower == b_there.seconds.lower &&
         (is_known(a_there.seconds) || is_known(b_there.seconds)) && a.counts && a.counts == b.counts &&
         a_there.counts == b_there.counts && a_there.real == a.real && b_there.real == b.real &&
         !binds_later(a.real, ranks_there) && !binds_later(b.real, ranks_there) &&
         (folds(a.real, ranks_there) || !folds(a.real, ranks)) && (folds(b.real, ranks_there) || !folds(b.real, ranks));
}

}  // namespace tutti
