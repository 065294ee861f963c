#include "selection/search.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "selection/unknown.hpp"

namespace tutti {
namespace {

/// How soon a size is looked at: the ends and every fourth first, then what halves the stretches between them.
int turn_of(std::size_t i, std::size_t sizes) {
  const std::size_t from_end = sizes - 1 - i;
  return i == 0 || from_end % 4 == 0 ? 0 : from_end % 2 == 0 ? 1 : 2;
}

class Search {
 public:
  Search(Simulations& simulations, const Place& place, const std::vector<std::int64_t>& bytes,
         const std::vector<Choice>& candidates, const SearchOptions& options, const OtherNodes& other_nodes)
      : simulations_(simulations),
        place_(place),
        options_(options),
        others_follow_(other_nodes.others_follow),
        bounds_(simulations, place, bytes, candidates, other_nodes, options.defaults) {}

  SearchResult run() {
    if (options_.exhaustive) {
      for (std::size_t i = 0; i < bounds_.sizes(); ++i)
        for (std::size_t a = 0; a < bounds_.candidates(); ++a)
          if (bounds_.runs(a, i)) ask(a, i);
    } else {
      if (options_.price_defaults) price_defaults();
      while (const auto next = most_wanted()) ask(next->first, next->second);
      if (options_.price_defaults)
        for (std::size_t i = 0; i < bounds_.sizes(); ++i) decide(i);
    }
    return bounds_.result();
  }

 private:
  const SizeBounds& time(std::size_t a) const { return bounds_.time(a); }

  /// Beyond which the choice is out of the question for everyone.
  double most_seconds(std::size_t a, std::size_t i) const {
    if (options_.exhaustive) return kUnknown;
    double most = 0;
    for (std::size_t k = 0; k < bounds_.targets(); ++k) {
      if (!bounds_.is_for(a, k)) continue;
      const auto best = bounds_.best_of(k, i);
      if (!best) return kUnknown;
      most = std::max(most, time(*best).upper(i));
    }
    if (turn_of(i, bounds_.sizes()) == 0) return most * kClearlySlower;
    return most * (others_follow_ ? kSlowerForOthers : kSlower);
  }

  void price_defaults() {
    for (std::size_t i = 0; i < bounds_.sizes(); ++i)
      for (std::size_t a = 0; a < bounds_.candidates(); ++a)
        if (bounds_.is_default(a, i)) ask_for_price(a, i);
  }

  /// Where inferred times leave open what is best, they are simulated, until it is clear or that takes too much.
  void decide(std::size_t i) {
    std::set<std::size_t> asked;
    const auto can_ask = [&](std::size_t a, double more) {
      return !bounds_.is_simulated(a, i) && !asked.contains(a) &&
             affordable(simulations_, {place_, bounds_.bytes(i), bounds_.candidate(a)}, options_.budget.times(more));
    };
    for (;;) {
      const auto best = bounds_.predicted_best(i);
      if (!best) return;
      std::optional<std::size_t> next;
      bool is_open = false, may_lose = false;
      for (std::size_t a = 0; a < bounds_.candidates(); ++a) {
        if (a == *best || !bounds_.runs(a, i) || bounds_.is_ruled_out(0, i, a)) continue;
        if (time(a).lower(i) * (1 + options_.tolerance) >= time(*best).upper(i)) continue;
        is_open = true;
        may_lose = may_lose || bounds_.is_default(a, i);
        if (can_ask(a, kDecidingBudgetFactor) && (!next || time(a).lower(i) < time(*next).lower(i))) next = a;
      }
      if (is_open && can_ask(*best, may_lose ? kLargestBudgetFactor : kDecidingBudgetFactor)) next = best;
      if (!next) return;
      asked.insert(*next);
      ask(*next, i, options_.budget.times(kLargestBudgetFactor), kUnknown);
    }
  }

  /// As it is, if that is possible.
  void ask_for_price(std::size_t a, std::size_t i) {
    const MessageBudget more = options_.budget.times(kLargestBudgetFactor);
    const Query query{place_, bounds_.bytes(i), bounds_.candidate(a)};
    ask(a, i, affordable(simulations_, query, more) ? more : options_.budget, kUnknown);
  }

  void ask(std::size_t a, std::size_t i) {
    MessageBudget budget = options_.budget;
    if (options_.exhaustive) budget.in_all = kUnknown;
    ask(a, i, budget, most_seconds(a, i));
  }

  void ask(std::size_t a, std::size_t i, const MessageBudget& budget, double most) {
    const Query query{place_, bounds_.bytes(i), bounds_.candidate(a)};
    const Evaluation evaluation =
        evaluate(simulations_, options_.engine, query, budget, bounds_.lower_bounds(), most, time(a).upper(i));
    const Time& taken = evaluation.time;
    if (taken.exceeded) {
      bounds_.set_more_than({a}, i, taken.seconds);
    } else {
      bounds_.set(a, i, taken.seconds, evaluation.error, evaluation.simulated);
    }
    if (options_.exhaustive || taken.seconds == kRefused) return;
    std::vector<std::size_t> equivalent;
    for (std::size_t b = 0; b < bounds_.candidates(); ++b)
      if (b != a && bounds_.runs(b, i) && !time(b).known(i) && bounds_.are_equivalent(a, b, i)) equivalent.push_back(b);
    bounds_.set_more_than(equivalent, i, taken.seconds);
  }

  /// The choice and size to simulate next: for every export target and size, the choice that may be the fastest; among
  /// these, unless it can hardly be faster than the best, the one at the size whose best time is least known.
  std::optional<std::pair<std::size_t, std::size_t>> most_wanted() const {
    std::optional<std::pair<std::size_t, std::size_t>> wanted;
    double widest = 0;
    int first_turn = 0;
    for (std::size_t k = 0; k < bounds_.targets(); ++k)
      for (std::size_t i = 0; i < bounds_.sizes(); ++i) {
        const int turn = turn_of(i, bounds_.sizes());
        if (wanted && turn > first_turn) continue;
        const std::optional<std::size_t> best = bounds_.best_of(k, i);
        const std::optional<std::size_t> fastest = best ? rival(k, i, *best) : most_promising(k, i);
        if (!fastest) continue;
        const double lower = time(*fastest).lower(i);
        const double width = best && lower > 0 ? time(*best).upper(i) / lower : kUnknown;
        if (wanted && turn == first_turn && width <= widest) continue;
        wanted = {*fastest, i};
        widest = width;
        first_turn = turn;
      }
    return wanted;
  }

  /// The one that may be the fastest, which may be the best itself; none if it is known well enough.
  std::optional<std::size_t> rival(std::size_t k, std::size_t i, std::size_t best) const {
    const double seconds = time(best).upper(i);
    std::optional<std::size_t> fastest;
    const auto consider = [&](std::size_t a, double tolerance) {
      if (time(a).known(i) || time(a).lower(i) * (1 + tolerance) >= seconds) return;
      if (!fastest || time(a).lower(i) <= time(*fastest).lower(i)) fastest = a;
    };
    bool is_near = false;
    const double beyond = seconds * (1 + options_.near);
    for (std::size_t a = 0; a < bounds_.candidates(); ++a) {
      if (a == best || !bounds_.runs(a, i) || !bounds_.is_for(a, k) || time(a).lower(i) >= beyond) continue;
      if (bounds_.is_ruled_out(k, i, a)) continue;
      is_near = true;
      consider(a, k == 0 && bounds_.is_default(a, i) ? 0 : options_.tolerance);
    }
    if (is_near || !bounds_.likely_seconds(best, i)) consider(best, is_near ? 0 : options_.own_tolerance);
    return fastest;
  }

  /// While nothing is known here: what took least on fewer nodes; or else the best at the nearest size; or else by its
  /// lower bound.
  std::optional<std::size_t> most_promising(std::size_t k, std::size_t i) const {
    std::optional<std::size_t> promising;
    const auto prefer = [&](const auto& seconds) {
      double least = kUnknown;
      for (std::size_t a = 0; a < bounds_.candidates(); ++a) {
        if (!bounds_.runs(a, i) || !bounds_.is_for(a, k) || time(a).known(i) || seconds(a) >= least) continue;
        promising = a;
        least = seconds(a);
      }
    };
    prefer([&](std::size_t a) { return bounds_.upper_on_fewer_nodes(a, i); });
    for (std::size_t far = 1; far < bounds_.sizes() && !promising; ++far)
      for (const std::size_t j : {i + far, i - far})
        if (j < bounds_.sizes() && !promising)
          if (const auto best = bounds_.best_of(k, j); best && bounds_.runs(*best, i) && !time(*best).known(i))
            promising = best;
    if (!promising) prefer([&](std::size_t a) { return time(a).lower(i); });
    return promising;
  }

  Simulations& simulations_;
  const Place place_;
  const SearchOptions& options_;
  const bool others_follow_;
  CandidateBounds bounds_;
};

}  // namespace

SearchResult search_place(Simulations& simulations, const Place& place, const std::vector<std::int64_t>& bytes,
                          const std::vector<Choice>& candidates, const SearchOptions& options,
                          const OtherNodes& other_nodes) {
  return Search(simulations, place, bytes, candidates, options, other_nodes).run();
}

}  // namespace tutti
