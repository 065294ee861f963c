#include "selection/search.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "selection/precedents.hpp"

namespace tutti {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// Whose best choice is sought.
using Audience = bool (*)(const Algorithm&);
constexpr std::array<Audience, 3> kAudiences = {[](const Algorithm&) { return true; },
                                                [](const Algorithm& a) { return !a.open_mpi().empty(); },
                                                [](const Algorithm& a) { return !a.mpich().empty(); }};

/// From one size to another that is so many times as large, what a choice takes beside the best changes by no more than
/// this power of that.
constexpr double kLikeBeside = 0.35;
constexpr std::size_t kTwinsAgree = 2;  // at so many sizes

/// How soon a size is looked at: the ends and every fourth first, then what halves the stretches between them.
int turn_of(std::size_t i, std::size_t sizes) {
  const std::size_t from_end = sizes - 1 - i;
  return i == 0 || from_end % 4 == 0 ? 0 : from_end % 2 == 0 ? 1 : 2;
}

class Search {
 public:
  Search(Simulations& simulations, const Place& place, const std::vector<std::int64_t>& bytes,
         const std::vector<Choice>& candidates, const SearchOptions& options, const Precedents& precedents)
      : simulations_(simulations),
        place_(place),
        candidates_(candidates),
        options_(options),
        precedents_(precedents),
        machine_(simulations.machine(place.nodes).for_job(place.ranks())),
        bounds_(simulations.machine(place.nodes), simulations.mode(), simulations.cores(place), place.nodes, place.ppn),
        distances_(distances_between(*machine_.network, simulations.cores(place))),
        scaling_(machine_, distances_, bytes),
        known_(candidates.size(), std::vector<Knowledge>(bytes.size())),
        expected_(candidates.size(), std::vector<double>(bytes.size(), kUnknown)),
        simulated_(candidates.size(), std::vector<bool>(bytes.size(), false)) {
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
        lower[a][i] = std::max(bounds_.seconds(here.real, c), least_on_fewer_nodes(a, i));
        auto same = std::find(algorithms.begin(), algorithms.end(), here.real);
        if (same == algorithms.end()) same = algorithms.insert(same, here.real);
        pieces[a][i] = {static_cast<int>(same - algorithms.begin()), are_eager(here.protocols)};
      }
    }
    for (std::size_t a = 0; a < candidates.size(); ++a)
      curves_.emplace_back(scaling_, std::move(lower[a]), std::move(pieces[a]));
  }

  Found run() {
    if (options_.exhaustive) {
      for (std::size_t i = 0; i < sizes(); ++i)
        for (std::size_t a = 0; a < candidates_.size(); ++a)
          if (curves_[a].runs(i)) ask(a, i);
    } else {
      while (const auto next = most_wanted()) ask(next->first, next->second);
    }
    return found();
  }

 private:
  std::size_t sizes() const { return scaling_.bytes().size(); }
  bool is_for(std::size_t a, std::size_t k) const { return kAudiences[k](*candidates_[a].algorithm); }

  /// Also notes what the choice took there at most.
  double least_on_fewer_nodes(std::size_t a, std::size_t i) {
    for (const Found* there : precedents_.fewer_nodes) {
      if (i >= there->cells.size()) continue;  // the node's memory has room for more there
      const Knowledge& known = there->known[a][i];
      if (known.real == known_[a][i].real && !std::isfinite(expected_[a][i])) expected_[a][i] = known.seconds.upper;
      const double least = least_by_precedent(known, there->place.ranks(), known_[a][i], place_.ranks());
      if (least > 0) return least;
    }
    return 0;
  }

  /// What it takes at least, by what is known here and by how it did beside another on the nearest fewer nodes that
  /// tell.
  double lower_beside(std::size_t a, std::size_t other, std::size_t i) const {
    const double lower = curves_[a].lower(i);
    if (a == other || curves_[a].known(i)) return lower;
    for (const Found* there : precedents_.fewer_nodes) {
      if (i >= there->cells.size()) continue;
      const double times = least_beside(there->known[a][i], there->known[other][i], there->place.ranks(), known_[a][i],
                                        known_[other][i], place_.ranks());
      if (times > 0) return std::max(lower, times * curves_[other].lower(i));
    }
    return lower;
  }

  /// Where a sender need not wait for the receiver, chains of operations are others.
  static std::vector<bool> are_eager(const std::vector<Protocol>& protocols) {
    std::vector<bool> eager;
    for (const Protocol& there : protocols) eager.push_back(there.eager);
    return eager;
  }

  /// The choice that takes least at most, if that is known of any.
  std::optional<std::size_t> best_of(std::size_t k, std::size_t i) const {
    std::optional<std::size_t> best;
    for (std::size_t a = 0; a < candidates_.size(); ++a)
      if (curves_[a].runs(i) && is_for(a, k) && curves_[a].upper(i) < (best ? curves_[*best].upper(i) : kUnknown))
        best = a;
    return best;
  }

  /// Beyond which the choice is out of the question for everyone.
  double most_seconds(std::size_t a, std::size_t i) const {
    if (options_.exhaustive) return kUnknown;
    double most = 0;
    for (std::size_t k = 0; k < kAudiences.size(); ++k) {
      if (!is_for(a, k)) continue;
      const auto best = best_of(k, i);
      if (!best) return kUnknown;
      most = std::max(most, curves_[*best].upper(i));
    }
    return most * (precedents_.followed ? kClearlySlower : kSlower);
  }

  void ask(std::size_t a, std::size_t i) {
    MessageBudget budget = options_.budget;
    if (options_.exhaustive) budget.in_all = kUnknown;
    const Query query{place_, scaling_.bytes()[i], candidates_[a]};
    const double most = most_seconds(a, i);
    Evaluation evaluation = evaluate(simulations_, options_.engine, query, budget, bounds_, most);
    if (evaluation.time.exceeded && curves_[a].upper(i) <= most)  // the upper bound was none
      evaluation = evaluate(simulations_, options_.engine, query, budget, bounds_);
    const Time& time = evaluation.time;
    if (time.exceeded) {
      curves_[a].set_more_than(i, time.seconds);
    } else {
      simulated_[a][i] = evaluation.simulated;
      curves_[a].set(i, time.seconds, evaluation.error);
    }
    if (options_.exhaustive || time.seconds == kRefused) return;
    for (std::size_t b = 0; b < candidates_.size(); ++b)
      if (b != a && curves_[b].runs(i) && !curves_[b].known(i) && are_twins_here(a, b, i))
        curves_[b].set_more_than(i, time.seconds);
  }

  /// Whether two choices are the same in all but name, as far as can be seen.
  bool are_twins_here(std::size_t a, std::size_t b, std::size_t i) const {
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
  bool took_the_same(std::size_t a, std::size_t b, std::size_t i) const {
    const auto are_alike = [&](std::size_t j) {
      return known_[a][j].counts && known_[a][j].counts == known_[b][j].counts &&
             known_[a][j].protocols == known_[a][i].protocols;
    };
    if (place_.ranks() < kFewRanks || !are_alike(i)) return false;
    std::size_t times = 0;
    for (std::size_t j = 0; j < sizes(); ++j) {
      if (!curves_[a].known(j) || !curves_[b].known(j) || !are_alike(j)) continue;
      if (curves_[a].known(j) != curves_[b].known(j)) return false;
      ++times;
    }
    return times >= kTwinsAgree;
  }

  /// The choice and size to simulate next: for every audience and size, the choice that may be the fastest; among
  /// these, unless it can hardly be faster than the best, the one at the size whose best time is least known.
  std::optional<std::pair<std::size_t, std::size_t>> most_wanted() const {
    std::optional<std::pair<std::size_t, std::size_t>> wanted;
    double widest = 0;
    int first_turn = 0;
    for (std::size_t k = 0; k < kAudiences.size(); ++k)
      for (std::size_t i = 0; i < sizes(); ++i) {
        const std::optional<std::size_t> best = best_of(k, i);
        const std::optional<std::size_t> fastest = best ? rival(k, i, *best) : most_promising(k, i);
        if (!fastest) continue;
        const double lower = curves_[*fastest].lower(i);
        const double width = best && lower > 0 ? curves_[*best].upper(i) / lower : kUnknown;
        const int turn = turn_of(i, sizes());
        if (wanted && (turn > first_turn || (turn == first_turn && width <= widest))) continue;
        wanted = {*fastest, i};
        widest = width;
        first_turn = turn;
      }
    return wanted;
  }

  /// Whether it is slower than the best at sizes on either side, by so much that it is here too, where its messages
  /// take the protocol of one of these.
  bool is_slower_around(std::size_t k, std::size_t i, std::size_t a) const {
    const auto slower_at = [&](int step) -> std::optional<std::size_t> {
      for (std::size_t j = i + static_cast<std::size_t>(step); j < sizes(); j += static_cast<std::size_t>(step))
        if (const auto best = best_of(k, j); best && curves_[a].runs(j)) {
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

  /// How many times one size is the other.
  double between(std::size_t i, std::size_t j) const {
    const auto [less, more] = std::minmax(scaling_.bytes()[i], scaling_.bytes()[j]);
    return less > 0 ? static_cast<double>(more) / static_cast<double>(less) : kUnknown;
  }

  /// The one that may be the fastest, which may be the best itself; none if it is known well enough.
  std::optional<std::size_t> rival(std::size_t k, std::size_t i, std::size_t best) const {
    const double seconds = curves_[best].upper(i);
    std::optional<std::size_t> fastest;
    const auto consider = [&](std::size_t a, double least, double tolerance) {
      if (curves_[a].known(i) || least * (1 + tolerance) >= seconds) return;
      if (!fastest || least <= curves_[*fastest].lower(i)) fastest = a;
    };
    bool is_near = false;
    for (std::size_t a = 0; a < candidates_.size(); ++a) {
      if (a == best || !curves_[a].runs(i) || !is_for(a, k) || are_twins_here(a, best, i)) continue;
      const double least = lower_beside(a, best, i);
      if (least >= seconds * (1 + options_.near) || is_slower_around(k, i, a)) continue;
      is_near = true;
      consider(a, least, options_.tolerance);
    }
    if (is_near || !curves_[best].between_neighbours(i))
      consider(best, curves_[best].lower(i), is_near ? 0 : options_.own_tolerance);
    return fastest;
  }

  /// While nothing is known here: what took least on fewer nodes; or else the best at the nearest size; or else by its
  /// lower bound.
  std::optional<std::size_t> most_promising(std::size_t k, std::size_t i) const {
    std::optional<std::size_t> promising;
    const auto prefer = [&](const auto& seconds) {
      double least = kUnknown;
      for (std::size_t a = 0; a < candidates_.size(); ++a) {
        if (!curves_[a].runs(i) || !is_for(a, k) || curves_[a].known(i) || seconds(a) >= least) continue;
        promising = a;
        least = seconds(a);
      }
    };
    prefer([&](std::size_t a) { return expected_[a][i]; });
    for (std::size_t far = 1; far < sizes() && !promising; ++far)
      for (const std::size_t j : {i + far, i - far})
        if (j < sizes() && !promising)
          if (const auto best = best_of(k, j); best && curves_[*best].runs(i) && !curves_[*best].known(i))
            promising = best;
    if (!promising) prefer([&](std::size_t a) { return curves_[a].lower(i); });
    return promising;
  }

  bool is_best(std::size_t a, std::size_t i) const {
    for (std::size_t k = 0; k < kAudiences.size(); ++k)
      if (best_of(k, i) == a) return true;
    return false;
  }

  /// Of the best, which nothing can change: what it is likely to take.
  double estimate(std::size_t a, std::size_t i) const {
    return curves_[a].between_neighbours(i).value_or(curves_[a].upper(i));
  }

  Found found() {
    Found found;
    found.place = place_;
    for (std::size_t i = 0; i < sizes(); ++i) {
      Cell cell{place_, scaling_.bytes()[i], {}};
      for (std::size_t a = 0; a < candidates_.size(); ++a) {
        if (!curves_[a].runs(i)) continue;
        const double seconds = curves_[a].upper(i);
        const auto best = best_of(0, i);
        known_[a][i].seconds = {std::min(seconds, best ? lower_beside(a, *best, i) : curves_[a].lower(i)), seconds};
        if (curves_[a].known(i) && seconds == kRefused) {
          ++found.refused;
        } else if (seconds == kUnknown) {
          ++found.dropped;
        } else {
          const std::string name = candidates_[a].text();
          cell.seconds[name] = curves_[a].known(i).value_or(is_best(a, i) ? estimate(a, i) : seconds);
          if (!simulated_[a][i]) {
            cell.inferred.insert(name);
            cell.between_seconds[name] = {curves_[a].lower(i), seconds};
          }
        }
      }
      found.cells.push_back(std::move(cell));
    }
    found.known = std::move(known_);
    return found;
  }

  Simulations& simulations_;
  const Place place_;
  const std::vector<Choice>& candidates_;
  const SearchOptions& options_;
  const Precedents& precedents_;
  const Machine& machine_;
  LowerBounds bounds_;
  std::vector<Distance> distances_;
  SizeScaling scaling_;
  std::vector<std::vector<Knowledge>> known_;  // by candidate and size, as all that follows; times only at the end
  std::vector<std::vector<double>> expected_;  // what it took on fewer nodes, at most
  std::vector<std::vector<bool>> simulated_;   // not inferred
  std::vector<TimeCurve> curves_;              // by candidate
};

}  // namespace

Found search_place(Simulations& simulations, const Place& place, const std::vector<std::int64_t>& bytes,
                   const std::vector<Choice>& candidates, const SearchOptions& options, const Precedents& precedents) {
  return Search(simulations, place, bytes, candidates, options, precedents).run();
}

}  // namespace tutti
