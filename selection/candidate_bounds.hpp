#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "selection/baselines.hpp"
#include "selection/candidates.hpp"
#include "selection/export_targets.hpp"
#include "selection/lower_bounds.hpp"
#include "selection/search_result.hpp"
#include "selection/simulations.hpp"
#include "selection/size_bounds.hpp"
#include "tables/table.hpp"

namespace tutti {

struct BetweenNodes;

/// All candidates at all sizes of one place (`a`, `b`: a candidate; `i`, `j`: a size; both by their index), and what is
/// known of their times so far: by bounds beforehand, by other numbers of nodes (selection/node_bounds.hpp), and by the
/// times that were simulated (SizeBounds). "The best" is asked for by each export target. Used by one thread.
class CandidateBounds {
 public:
  /// All must outlive this. `bytes` ascending.
  CandidateBounds(Simulations& simulations, const Place& place, const std::vector<std::int64_t>& bytes,
                  const std::vector<Choice>& candidates, const OtherNodes& other_nodes,
                  const std::vector<const Baseline*>& defaults);

  std::size_t sizes() const { return scaling_.bytes().size(); }
  std::int64_t bytes(std::size_t i) const { return scaling_.bytes()[i]; }
  std::size_t candidates() const { return candidates_.size(); }
  const Choice& candidate(std::size_t a) const { return candidates_[a]; }
  bool runs(std::size_t a, std::size_t i) const { return times_[a].runs(i); }
  std::size_t targets() const { return is_for_.size(); }
  bool is_for(std::size_t a, std::size_t target) const { return is_for_[target][a]; }
  /// Whether one of those libraries picks it by itself.
  bool is_default(std::size_t a, std::size_t i) const { return is_default_[a][i]; }
  const SizeBounds& time(std::size_t a) const { return times_[a]; }
  LowerBounds& lower_bounds() { return lower_bounds_; }
  /// At most, on the nearest fewer nodes where it ran; infinite where nothing is known.
  double upper_on_fewer_nodes(std::size_t a, std::size_t i) const { return upper_on_fewer_nodes_[a][i]; }

  void set(std::size_t a, std::size_t i, double seconds, double error, bool simulated);
  /// For each of them.
  void set_more_than(const std::vector<std::size_t>& them, std::size_t i, double seconds);

  /// The choice that takes least at most, if that is known of any.
  std::optional<std::size_t> best_of(std::size_t target, std::size_t i) const { return best_[target][i]; }
  /// Whether two choices are the same in all but name, as far as can be seen.
  bool are_equivalent(std::size_t a, std::size_t b, std::size_t i) const;
  /// Whether it is slower than the best at sizes on either side, by so much that it is here too: on few
  /// ranks only where its messages take the protocol of one of these.
  bool is_slower_around(std::size_t target, std::size_t i, std::size_t a) const;
  /// Whether a choice that is not the best need not be looked at, whatever its bounds say.
  bool is_ruled_out(std::size_t target, std::size_t i, std::size_t a) const;

  /// Known, or on a line between sizes, or numbers of nodes, on either side.
  std::optional<double> likely_seconds(std::size_t a, std::size_t i) const;
  /// What the table says that it takes: what was simulated or inferred; else at most, so that it is never chosen for
  /// less than it is worth; the best, with which that cannot happen, what it is likely to. Infinite where nothing is
  /// known.
  double predicted_seconds(std::size_t a, std::size_t i) const;
  /// Of all candidates, the one that the table says to take least.
  std::optional<std::size_t> predicted_best(std::size_t i) const;
  bool is_simulated(std::size_t a, std::size_t i) const { return simulated_[a][i]; }

  /// The table's cells.
  SearchResult result() const;

 private:
  void note_best();
  /// After one candidate's times have changed.
  void note_best(std::size_t changed);
  void find_best(std::size_t k, std::size_t i);
  double consult_fewer_nodes(std::size_t a, std::size_t i);
  BetweenNodes consult_both_sides(std::size_t a, std::size_t i) const;
  bool had_equal_times(std::size_t a, std::size_t b, std::size_t i) const;
  double between(std::size_t i, std::size_t j) const;
  bool is_best(std::size_t a, std::size_t i) const;

  const Place place_;
  const std::vector<Choice>& candidates_;
  const OtherNodes& other_nodes_;
  const Machine& machine_;
  LowerBounds lower_bounds_;
  std::vector<Distance> distances_;
  SizeScaling scaling_;
  const bool fewer_nodes_tell_;
  std::vector<std::vector<Estimate>> estimates_;  // by candidate and size, as all that follows; without times
  std::vector<std::vector<double>> upper_on_fewer_nodes_;
  std::vector<std::vector<std::optional<double>>> between_nodes_;  // what it is likely to take, by those on either side
  std::vector<std::vector<bool>> simulated_;                       // not inferred
  std::vector<std::vector<bool>> is_default_;
  std::vector<SizeBounds> times_;  // by candidate
  // By target and size, of the bounds: it is asked for far more often than these change.
  std::vector<std::vector<std::optional<std::size_t>>> best_;
  std::vector<std::vector<bool>> is_for_;  // by target and candidate
  std::vector<std::vector<double>>
      change_;  // by two sizes: what a time beside the best changes by, from one to the other
};

}  // namespace tutti
