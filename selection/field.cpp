#include "selection/field.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "selection/precedents.hpp"

namespace tutti {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// From one size to another that is so many times as large, what a choice takes beside the best changes by no more than
/// this power of that.
constexpr double kLikeBeside = 0.35;
constexpr std::size_t kTwinsAgree = 2;  // at so many sizes

/// Where a sender need not wait for the receiver, or its adapter, chains of operations are others.
std::vector<bool> are_waited_for(const std::vector<Protocol>& protocols) {
  std::vector<bool> waited_for;
  for (const Protocol& there : protocols) {
    waited_for.push_back(!there.eager);
    waited_for.push_back(there.acknowledged);
  }
  return waited_for;
}

}  // namespace

Field::Field(Simulations& simulations, const Place& place, const std::vector<std::int64_t>& bytes,
             const std::vector<Choice>& candidates, const Precedents& precedents,
             const std::vector<const Baseline*>& defaults)
    : place_(place),
      candidates_(candidates),
      precedents_(precedents),
      machine_(simulations.machine(place.nodes).for_job(place.ranks())),
      bounds_(simulations.machine(place.nodes), simulations.mode(), simulations.cores(place), place.nodes, place.ppn),
      distances_(distances_between(*machine_.network, simulations.cores(place))),
      scaling_(machine_, distances_, bytes),
      known_(candidates.size(), std::vector<Knowledge>(bytes.size())),
      expected_(candidates.size(), std::vector<double>(bytes.size(), kUnknown)),
      simulated_(candidates.size(), std::vector<bool>(bytes.size(), false)),
      is_default_(candidates.size(), std::vector<bool>(bytes.size(), false)) {
  const NodeOfRank node_of_rank = simulations.nodes(place);
  std::vector<std::vector<double>> lower(candidates.size(), std::vector<double>(bytes.size(), 0));
  std::vector<std::vector<TimeCurve::Piece>> pieces(candidates.size(), std::vector<TimeCurve::Piece>(bytes.size()));
  std::vector<Choice> algorithms;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const Case c = case_for(place, bytes[i]);
    for (const std::size_t a : distinct_choices(candidates, c)) {
      Knowledge& here = known_[a][i];
      here.real = essence(candidates[a], c);
      here.counts = declared(here.real, c, node_of_rank);
      here.protocols = protocols_of(machine_, distances_, here.real, here.counts, c);
      lower[a][i] = here.least_seconds = std::max(bounds_.seconds(here.real, c), least_on_fewer_nodes(a, i));
      auto same = std::find(algorithms.begin(), algorithms.end(), here.real);
      if (same == algorithms.end()) same = algorithms.insert(same, here.real);
      pieces[a][i] = {static_cast<int>(same - algorithms.begin()), are_waited_for(here.protocols)};
    }
    for (const Baseline* library : defaults) {
      const Choice theirs = essence(pick(*library, c, place.nodes).choice, c);
      for (std::size_t a = 0; a < candidates.size(); ++a)
        if (known_[a][i].real == theirs) is_default_[a][i] = true;
    }
  }
  for (std::size_t a = 0; a < candidates.size(); ++a)
    curves_.emplace_back(scaling_, std::move(lower[a]), std::move(pieces[a]));
  for (std::size_t k = 0; k < kAudiences.size(); ++k)
    for (const Choice& candidate : candidates) is_for_[k].push_back(kAudiences[k](candidate));
  note_best();
}

void Field::set(std::size_t a, std::size_t i, double seconds, double error, bool simulated) {
  simulated_[a][i] = simulated;
  curves_[a].set(i, seconds, error);
  note_best();
}

void Field::set_more_than(std::size_t a, std::size_t i, double seconds) {
  curves_[a].set_more_than(i, seconds);
  note_best();
}

/// Also notes what the choice took there at most.
double Field::least_on_fewer_nodes(std::size_t a, std::size_t i) {
  for (const Found* there : precedents_.fewer_nodes) {
    if (i >= there->cells.size()) continue;  // the node's memory has room for more here
    const Knowledge& known = there->known[a][i];
    if (known.real == known_[a][i].real && !std::isfinite(expected_[a][i])) expected_[a][i] = known.seconds.upper;
    const double least = least_by_precedent(known, there->place.ranks(), known_[a][i], place_.ranks());
    if (least > 0) return least;
  }
  return 0;
}

void Field::note_best() {
  for (std::size_t k = 0; k < kAudiences.size(); ++k) {
    best_[k].assign(sizes(), std::nullopt);
    for (std::size_t a = 0; a < candidates_.size(); ++a) {
      if (!is_for(a, k)) continue;
      for (std::size_t i = 0; i < sizes(); ++i)
        if (auto& best = best_[k][i];
            curves_[a].runs(i) && curves_[a].upper(i) < (best ? curves_[*best].upper(i) : kUnknown))
          best = a;
    }
  }
}

bool Field::are_twins_here(std::size_t a, std::size_t b, std::size_t i) const {
  if (!curves_[a].runs(i) || !curves_[b].runs(i)) return false;
  const auto took_the_same_there = [&](const Found* there) {
    return i < there->cells.size() &&
           are_twins(there->known[a][i], there->known[b][i], there->place.ranks(), known_[a][i], known_[b][i]);
  };
  return took_the_same(a, b, i) ||
         std::any_of(precedents_.fewer_nodes.begin(), precedents_.fewer_nodes.end(), took_the_same_there);
}

/// Whether the two take the very same time at several sizes, and another at none, of those where they declare the
/// same counts and their messages take the protocol that they take here.
bool Field::took_the_same(std::size_t a, std::size_t b, std::size_t i) const {
  const auto are_alike = [&](std::size_t j) {
    return known_[a][j].counts && known_[a][j].counts == known_[b][j].counts &&
           known_[a][j].protocols == known_[a][i].protocols;
  };
  if (place_.ranks() < kFewRanks || !are_alike(i)) return false;
  std::size_t times = 0;
  for (std::size_t j = 0; j < sizes(); ++j) {
    if (!curves_[a].known(j) || !curves_[b].known(j) || !are_alike(j)) continue;
    if (curves_[a].known(j) != curves_[b].known(j)) return false;
    if (curves_[a].known(j) != kRefused) ++times;
  }
  return times >= kTwinsAgree;
}

bool Field::is_slower_around(std::size_t audience, std::size_t i, std::size_t a) const {
  const auto slower_at = [&](int step) -> std::optional<std::size_t> {
    for (std::size_t j = i + static_cast<std::size_t>(step); j < sizes(); j += static_cast<std::size_t>(step))
      if (const auto best = best_of(audience, j); best && curves_[a].runs(j)) {
        if (curves_[a].lower(j) >= curves_[*best].upper(j) * std::pow(between(i, j), kLikeBeside)) return j;
        if (curves_[a].known(j)) return std::nullopt;
      }
    return std::nullopt;
  };
  const auto before = slower_at(-1), after = slower_at(+1);
  return before && after &&
         (known_[a][i].protocols == known_[a][*before].protocols ||
          known_[a][i].protocols == known_[a][*after].protocols);
}

bool Field::is_set_aside(std::size_t audience, std::size_t i, std::size_t a) const {
  const auto best = best_of(audience, i);
  // Of what a library picks, its bounds decide: nobody may lose to it.
  if ((audience > 0 || !is_default(a, i)) && is_slower_around(audience, i, a)) return true;
  return best && are_twins_here(a, *best, i);
}

/// How many times one size is the other.
double Field::between(std::size_t i, std::size_t j) const {
  const auto [less, more] = std::minmax(scaling_.bytes()[i], scaling_.bytes()[j]);
  return less > 0 ? static_cast<double>(more) / static_cast<double>(less) : kUnknown;
}

bool Field::is_best(std::size_t a, std::size_t i) const {
  for (std::size_t k = 0; k < kAudiences.size(); ++k)
    if (best_of(k, i) == a) return true;
  return false;
}

double Field::likely(std::size_t a, std::size_t i) const {
  const double most = curves_[a].upper(i);
  return curves_[a].known(i).value_or(is_best(a, i) ? curves_[a].between_neighbours(i).value_or(most) : most);
}

std::optional<std::size_t> Field::likely_best(std::size_t i) const {
  std::optional<std::size_t> best;
  for (std::size_t a = 0; a < candidates_.size(); ++a)
    if (runs(a, i) && likely(a, i) < (best ? likely(*best, i) : kUnknown)) best = a;
  return best;
}

Found Field::found() const {
  Found found;
  found.place = place_;
  found.known = known_;
  for (std::size_t i = 0; i < sizes(); ++i) {
    Cell cell{place_, scaling_.bytes()[i], {}};
    for (std::size_t a = 0; a < candidates_.size(); ++a) {
      if (!curves_[a].runs(i)) continue;
      found.known[a][i].seconds = {curves_[a].lower(i), curves_[a].upper(i)};
      found.known[a][i].set_aside = is_set_aside(0, i, a);
      const double seconds = likely(a, i);
      if (curves_[a].known(i) && seconds == kRefused) {
        ++found.refused;
      } else if (seconds == kUnknown) {
        ++found.dropped;
      } else {
        const std::string name = candidates_[a].text();
        cell.seconds[name] = seconds;
        if (!simulated_[a][i]) {
          cell.inferred.insert(name);
          cell.between_seconds[name] = {curves_[a].lower(i), curves_[a].upper(i)};
        }
      }
    }
    found.cells.push_back(std::move(cell));
  }
  return found;
}

}  // namespace tutti
