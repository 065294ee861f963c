#include "selection/candidate_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "selection/losses.hpp"
#include "selection/node_bounds.hpp"
#include "selection/unknown.hpp"
#include "sim/rank_groups.hpp"

namespace tutti {
namespace {

/// From one size to another that is so many times as large, what a choice takes beside the best changes by no more than
/// this power of that.
constexpr double kRelativeChange = 0.35;
constexpr std::size_t kEqualTimes = 2;  // at so many sizes

/// Where a sender need not wait for the receiver, or its adapter, chains of operations are others.
std::vector<bool> are_waited_for(const std::vector<Protocol>& protocols) {
  std::vector<bool> waited_for;
  for (const Protocol& there : protocols) {
    waited_for.push_back(!there.eager);
    waited_for.push_back(there.acknowledged);
  }
  return waited_for;
}

/// On a torus the shape of more nodes may suit an algorithm far better.
bool has_leaves_or_groups(const Network& network) {
  const std::vector<Level> there = levels_of(network);
  return std::any_of(there.begin(), there.end(), [](Level level) { return level > Level::node; });
}

bool window_binds(const Choice& real, int ranks) {
  const std::int64_t* const window = value_of(real, ParameterRole::window);
  return window && *window > 0 && *window + 1 < ranks;
}

/// As far as that is known: 0 where there are several, of whom each size has others. Where some may be lost, all: of as
/// many the same are.
double messages_of_a_segment(const Estimate& estimate) {
  if (estimate.may_lose_messages) return estimate.counts->messages;
  const std::int64_t* const segment = value_of(estimate.real, ParameterRole::segment);
  const bool is_whole = !segment || *segment == 0;
  return estimate.counts && is_whole ? estimate.counts->messages : 0;
}

}  // namespace

CandidateBounds::CandidateBounds(Simulations& simulations, const Place& place, const std::vector<std::int64_t>& bytes,
                                 const std::vector<Choice>& candidates, const OtherNodes& other_nodes,
                                 const std::vector<const Baseline*>& defaults)
    : place_(place),
      candidates_(candidates),
      other_nodes_(other_nodes),
      machine_(simulations.machine(place).for_job(place.ranks())),
      lower_bounds_(simulations.machine(place), simulations.mode(), simulations.cores(place), place.nodes, place.ppn),
      distances_(distances_between(*machine_.network, simulations.cores(place))),
      scaling_(machine_, distances_, bytes),
      fewer_nodes_tell_(has_leaves_or_groups(*machine_.network)),
      estimates_(candidates.size(), std::vector<Estimate>(bytes.size())),
      upper_on_fewer_nodes_(candidates.size(), std::vector<double>(bytes.size(), kUnknown)),
      between_nodes_(candidates.size(), std::vector<std::optional<double>>(bytes.size())),
      simulated_(candidates.size(), std::vector<bool>(bytes.size(), false)),
      is_default_(candidates.size(), std::vector<bool>(bytes.size(), false)) {
  const Places places = simulations.places(place);
  std::vector<std::vector<TimeBounds>> beforehand(candidates.size(), std::vector<TimeBounds>(bytes.size()));
  std::vector<std::vector<SizeBounds::Regime>> regimes(candidates.size(),
                                                       std::vector<SizeBounds::Regime>(bytes.size()));
  std::vector<Choice> algorithms;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const Case c = case_for(place, bytes[i]);
    std::vector<Choice> theirs;
    for (const Baseline* library : defaults)
      if (const auto picked = pick_if_ours(*library, c, place.on_nodes()))
        theirs.push_back(normalized(picked->choice, c));
    for (const std::size_t a : distinct_choices(candidates, c, &places)) {
      Estimate& here = estimates_[a][i];
      here.real = normalized(candidates[a], c);
      here.counts = declared(here.real, c, places);
      here.protocols = protocols_of(machine_, distances_, here.real, here.counts, c, place.ppn);
      here.may_lose_messages = losses_of(machine_, here.real, here.counts, c, place).may_be();
      is_default_[a][i] = std::find(theirs.begin(), theirs.end(), here.real) != theirs.end();
      const BetweenNodes between = consult_both_sides(a, i);
      beforehand[a][i] = between.seconds;
      between_nodes_[a][i] = between.likely_seconds;
      if (is_default_[a][i]) beforehand[a][i].lower = 0;  // nobody may lose to it
      here.lower_bound_seconds =
          std::max({lower_bounds_.seconds(here.real, c), consult_fewer_nodes(a, i), beforehand[a][i].lower});
      beforehand[a][i].lower = here.lower_bound_seconds;
      auto same = std::find(algorithms.begin(), algorithms.end(), here.real);
      if (same == algorithms.end()) same = algorithms.insert(same, here.real);
      regimes[a][i] = {static_cast<int>(same - algorithms.begin()), are_waited_for(here.protocols),
                       messages_of_a_segment(here)};
    }
  }
  for (std::size_t a = 0; a < candidates.size(); ++a)
    times_.emplace_back(scaling_, std::move(beforehand[a]), std::move(regimes[a]));
  is_for_ = export_targets_among(candidates);
  best_.resize(is_for_.size());
  change_.assign(sizes(), std::vector<double>(sizes()));
  for (std::size_t i = 0; i < sizes(); ++i)
    for (std::size_t j = 0; j < sizes(); ++j) change_[i][j] = std::pow(between(i, j), kRelativeChange);
  note_best();
}

void CandidateBounds::set(std::size_t a, std::size_t i, double seconds, double error, bool simulated) {
  simulated_[a][i] = simulated;
  times_[a].set(i, seconds, error);
  note_best(a);
}

void CandidateBounds::set_more_than(const std::vector<std::size_t>& them, std::size_t i, double seconds) {
  for (const std::size_t a : them) {
    times_[a].set_more_than(i, seconds);
    note_best(a);
  }
}

/// Also notes what the choice took there at most.
double CandidateBounds::consult_fewer_nodes(std::size_t a, std::size_t i) {
  for (const SearchResult* there : other_nodes_.fewer) {
    if (i >= there->cells.size()) continue;  // the node's memory has room for more here
    const Estimate& known = there->estimates[a][i];
    if (known.real == estimates_[a][i].real && !std::isfinite(upper_on_fewer_nodes_[a][i]))
      upper_on_fewer_nodes_[a][i] = known.seconds.upper;
    if (!fewer_nodes_tell_) continue;
    const double least = lower_bound_by_fewer_nodes(known, there->place.ranks(), estimates_[a][i], place_.ranks());
    if (least > 0) return least;
  }
  return 0;
}

/// By the nearest numbers of nodes on either side that tell of this one.
BetweenNodes CandidateBounds::consult_both_sides(std::size_t a, std::size_t i) const {
  for (const SearchResult* less : other_nodes_.fewer)
    for (const SearchResult* more : other_nodes_.more) {
      if (i >= less->cells.size() || i >= more->cells.size()) continue;
      const BetweenNodes found =
          bounds_between({less->estimates[a][i], less->place.ranks()}, {more->estimates[a][i], more->place.ranks()},
                         {estimates_[a][i], place_.ranks()});
      if (found.seconds.lower > 0) return found;
    }
  return {};
}

void CandidateBounds::note_best() {
  for (std::size_t k = 0; k < targets(); ++k) {
    best_[k].assign(sizes(), std::nullopt);
    for (std::size_t i = 0; i < sizes(); ++i) find_best(k, i);
  }
}

void CandidateBounds::note_best(std::size_t changed) {
  for (std::size_t k = 0; k < targets(); ++k) {
    if (!is_for(changed, k)) continue;
    for (std::size_t i = 0; i < sizes(); ++i) {
      if (!times_[changed].runs(i)) continue;
      std::optional<std::size_t>& best = best_[k][i];
      const double upper = times_[changed].upper(i), least = best ? times_[*best].upper(i) : kUnknown;
      if (best == changed)
        find_best(k, i);  // it may take longer than was known
      else if (upper < least || (best && upper == least && changed < *best))
        best = changed;
    }
  }
}

/// Of equals the first.
void CandidateBounds::find_best(std::size_t k, std::size_t i) {
  std::optional<std::size_t>& best = best_[k][i];
  best.reset();
  for (std::size_t a = 0; a < candidates_.size(); ++a)
    if (is_for(a, k) && times_[a].runs(i) && times_[a].upper(i) < (best ? times_[*best].upper(i) : kUnknown)) best = a;
}

bool CandidateBounds::are_equivalent(std::size_t a, std::size_t b, std::size_t i) const {
  if (!times_[a].runs(i) || !times_[b].runs(i)) return false;
  const auto had_equal_times_there = [&](const SearchResult* there) {
    return i < there->cells.size() &&
           are_equivalent_by_fewer_nodes(there->estimates[a][i], there->estimates[b][i], there->place.ranks(),
                                         estimates_[a][i], estimates_[b][i], place_.ranks());
  };
  return had_equal_times(a, b, i) ||
         std::any_of(other_nodes_.fewer.begin(), other_nodes_.fewer.end(), had_equal_times_there);
}

/// Whether the two take the very same time at several sizes, and another at none, of those where they declare the
/// same counts and their messages take the protocol that they take here. Not where a window
/// holds messages back: those that it spares each other are longer at larger sizes.
bool CandidateBounds::had_equal_times(std::size_t a, std::size_t b, std::size_t i) const {
  const auto are_alike = [&](std::size_t j) {
    return estimates_[a][j].counts && estimates_[a][j].counts == estimates_[b][j].counts &&
           estimates_[a][j].protocols == estimates_[a][i].protocols;
  };
  const auto holds_back = [&](std::size_t c) { return window_binds(estimates_[c][i].real, place_.ranks()); };
  if (place_.ranks() < kFewRanks || !are_alike(i) || holds_back(a) || holds_back(b)) return false;
  std::size_t times = 0;
  for (std::size_t j = 0; j < sizes(); ++j) {
    if (!times_[a].known(j) || !times_[b].known(j) || !are_alike(j)) continue;
    if (times_[a].known(j) != times_[b].known(j)) return false;
    if (times_[a].known(j) != kRefused) ++times;
  }
  return times >= kEqualTimes;
}

bool CandidateBounds::is_slower_around(std::size_t target, std::size_t i, std::size_t a) const {
  const auto slower_at = [&](int step) -> std::optional<std::size_t> {
    for (std::size_t j = i + static_cast<std::size_t>(step); j < sizes(); j += static_cast<std::size_t>(step))
      if (const auto best = best_of(target, j); best && times_[a].runs(j)) {
        if (times_[a].lower(j) >= times_[*best].upper(j) * change_[i][j]) return j;
        if (times_[a].known(j)) return std::nullopt;
      }
    return std::nullopt;
  };
  const auto before = slower_at(-1), after = slower_at(+1);
  if (!before || !after) return false;
  return place_.ranks() >= kFewRanks ||  // who depend less on single messages, and take longer to simulate
         (estimates_[a][i].protocols == estimates_[a][*before].protocols ||
          estimates_[a][i].protocols == estimates_[a][*after].protocols);
}

bool CandidateBounds::is_ruled_out(std::size_t target, std::size_t i, std::size_t a) const {
  const auto best = best_of(target, i);
  if (best == a) return false;  // of which the table may name another the best: one that takes less, but perhaps more
  // Of what a library picks, its bounds decide: nobody may lose to it.
  if ((target > 0 || !is_default(a, i)) && is_slower_around(target, i, a)) return true;
  return best && are_equivalent(a, *best, i);
}

/// How many times one size is the other.
double CandidateBounds::between(std::size_t i, std::size_t j) const {
  const auto [less, more] = std::minmax(scaling_.bytes()[i], scaling_.bytes()[j]);
  return less > 0 ? static_cast<double>(more) / static_cast<double>(less) : kUnknown;
}

bool CandidateBounds::is_best(std::size_t a, std::size_t i) const {
  for (std::size_t k = 0; k < targets(); ++k)
    if (best_of(k, i) == a) return true;
  return false;
}

std::optional<double> CandidateBounds::likely_seconds(std::size_t a, std::size_t i) const {
  if (times_[a].known(i)) return times_[a].known(i);
  if (const auto between_sizes = times_[a].between_neighbours(i)) return between_sizes;
  if (!between_nodes_[a][i]) return std::nullopt;
  return std::max(times_[a].lower(i), std::min(times_[a].upper(i), *between_nodes_[a][i]));  // bounds may cross
}

double CandidateBounds::predicted_seconds(std::size_t a, std::size_t i) const {
  const double most = times_[a].upper(i);
  return is_best(a, i) ? likely_seconds(a, i).value_or(most) : times_[a].known(i).value_or(most);
}

std::optional<std::size_t> CandidateBounds::predicted_best(std::size_t i) const {
  std::optional<std::size_t> best;
  for (std::size_t a = 0; a < candidates_.size(); ++a)
    if (runs(a, i) && predicted_seconds(a, i) < (best ? predicted_seconds(*best, i) : kUnknown)) best = a;
  return best;
}

SearchResult CandidateBounds::result() const {
  SearchResult result;
  result.place = place_;
  result.estimates = estimates_;
  for (std::size_t i = 0; i < sizes(); ++i) {
    Cell cell{place_, scaling_.bytes()[i], {}};
    for (std::size_t a = 0; a < candidates_.size(); ++a) {
      if (!times_[a].runs(i)) continue;
      result.estimates[a][i].seconds = {times_[a].lower(i), times_[a].upper(i)};
      result.estimates[a][i].likely_seconds = likely_seconds(a, i);
      result.estimates[a][i].ruled_out = is_ruled_out(0, i, a);
      const double seconds = predicted_seconds(a, i);
      if (times_[a].known(i) && seconds == kRefused) {
        ++result.refused;
      } else if (seconds == kUnknown) {
        ++result.dropped;
      } else {
        const std::string name = candidates_[a].text();
        cell.seconds[name] = seconds;
        if (!simulated_[a][i]) {
          cell.inferred.insert(name);
          cell.between_seconds[name] = {times_[a].lower(i), times_[a].upper(i)};
        }
      }
    }
    result.cells.push_back(std::move(cell));
  }
  return result;
}

}  // namespace tutti
