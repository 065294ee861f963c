#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "selection/audience.hpp"
#include "selection/baselines.hpp"
#include "selection/bounds.hpp"
#include "selection/candidates.hpp"
#include "selection/curve.hpp"
#include "selection/protocol.hpp"
#include "selection/simulations.hpp"
#include "tables/table.hpp"

namespace tutti {

/// What is known of one candidate at one size of a place.
struct Knowledge {
  Range seconds;                    // 0 to infinity where it does not run
  std::optional<Counts> counts;     // that it declares
  std::vector<Protocol> protocols;  // by distance
  Choice real;                      // what runs; no algorithm: nothing does
  double least_seconds = 0;         // by bounds alone, whatever came of it
  bool set_aside = false;           // no rival of the best, though its bounds do not say so (rival())
};

struct Found {
  std::vector<Cell> cells;
  std::int64_t refused = 0, dropped = 0;  // candidates of cells: by the engine; by a lower bound
  Place place;
  std::vector<std::vector<Knowledge>> known;  // by candidate and size
};

/// What was found for the same candidates and sizes (blocks, where sizes are those of blocks) on fewer nodes, equally
/// filled.
struct Precedents {
  std::vector<const Found*> fewer_nodes;  // the nearest first
  bool followed = false;                  // this place will be one of those
};

/// All candidates at all sizes of one place (`a`, `b`: a candidate; `i`, `j`: a size; both by their index), and what is
/// known of their times so far: by bounds beforehand, by fewer nodes (selection/precedents.hpp), and by the times that
/// were simulated (TimeCurve). "The best" is asked for by each audience of a table. Used by one thread.
class Field {
 public:
  /// All must outlive this. `bytes` ascending.
  Field(Simulations& simulations, const Place& place, const std::vector<std::int64_t>& bytes,
        const std::vector<Choice>& candidates, const Precedents& precedents,
        const std::vector<const Baseline*>& defaults);

  std::size_t sizes() const { return scaling_.bytes().size(); }
  std::int64_t bytes(std::size_t i) const { return scaling_.bytes()[i]; }
  std::size_t candidates() const { return candidates_.size(); }
  const Choice& candidate(std::size_t a) const { return candidates_[a]; }
  bool runs(std::size_t a, std::size_t i) const { return curves_[a].runs(i); }
  bool is_for(std::size_t a, std::size_t audience) const { return is_for_[audience][a]; }
  /// Whether one of those libraries picks it by itself.
  bool is_default(std::size_t a, std::size_t i) const { return is_default_[a][i]; }
  const TimeCurve& time(std::size_t a) const { return curves_[a]; }
  LowerBounds& bounds() { return bounds_; }
  /// At most, on the nearest fewer nodes where it ran; infinite where nothing is known.
  double expected(std::size_t a, std::size_t i) const { return expected_[a][i]; }

  void set(std::size_t a, std::size_t i, double seconds, double error, bool simulated);
  void set_more_than(std::size_t a, std::size_t i, double seconds);

  /// The choice that takes least at most, if that is known of any.
  std::optional<std::size_t> best_of(std::size_t audience, std::size_t i) const { return best_[audience][i]; }
  /// Whether two choices are the same in all but name, as far as can be seen.
  bool are_twins_here(std::size_t a, std::size_t b, std::size_t i) const;
  /// Whether it is slower than the best at sizes on either side, by so much that it is here too, where its messages
  /// take the protocol of one of these.
  bool is_slower_around(std::size_t audience, std::size_t i, std::size_t a) const;
  /// Whether a choice that is not the best need not be looked at, whatever its bounds say.
  bool is_set_aside(std::size_t audience, std::size_t i, std::size_t a) const;

  /// What the table says that it takes: what was simulated or inferred; else at most, so that it is never chosen for
  /// less than it is worth; the best, with which that cannot happen, what it is likely to. Infinite where nothing is
  /// known.
  double likely(std::size_t a, std::size_t i) const;
  /// Of all candidates, the one that the table says to take least.
  std::optional<std::size_t> likely_best(std::size_t i) const;
  bool is_simulated(std::size_t a, std::size_t i) const { return simulated_[a][i]; }

  /// The table's cells.
  Found found() const;

 private:
  void note_best();
  double least_on_fewer_nodes(std::size_t a, std::size_t i);
  bool took_the_same(std::size_t a, std::size_t b, std::size_t i) const;
  double between(std::size_t i, std::size_t j) const;
  bool is_best(std::size_t a, std::size_t i) const;

  const Place place_;
  const std::vector<Choice>& candidates_;
  const Precedents& precedents_;
  const Machine& machine_;
  LowerBounds bounds_;
  std::vector<Distance> distances_;
  SizeScaling scaling_;
  std::vector<std::vector<Knowledge>> known_;  // by candidate and size, as all that follows; without times
  std::vector<std::vector<double>> expected_;
  std::vector<std::vector<bool>> simulated_;  // not inferred
  std::vector<std::vector<bool>> is_default_;
  std::vector<TimeCurve> curves_;  // by candidate
  // By audience and size, of the curves: it is asked for far more often than these change.
  std::array<std::vector<std::optional<std::size_t>>, kAudiences.size()> best_;
  std::array<std::vector<bool>, kAudiences.size()> is_for_;  // by audience and candidate
};

}  // namespace tutti
