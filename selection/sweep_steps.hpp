#pragma once

#include <memory>
#include <vector>

#include "selection/schedule.hpp"
#include "selection/search.hpp"
#include "selection/sweep_plan.hpp"
#include "selection/tune.hpp"

namespace tutti {

/// What a sweep does at its places, with the simulated times of one store. Thread-safe: a place at a time.
class SweepSteps {
 public:
  /// Both must outlive this; `store` may be nullptr.
  SweepSteps(const TuneRequest& request, TimeStore* store);
  SweepSteps(const TuneRequest& request, TimeStore* store, std::shared_ptr<const SweepCandidates> candidates);

  Simulations& simulations() { return simulations_; }
  const SearchOptions& options() const { return options_; }
  /// The engine that decides what is close; empty: none, or the same.
  const std::string& confirming() const { return confirming_; }

  /// Of one of the request's collectives (candidates_of).
  const std::vector<Choice>& candidates(Collective collective) const { return candidates_->at(collective); }

  /// Part `i` of the chain, of which those before it in search_order() have been searched.
  void search(Chain& chain, std::size_t i);
  /// Where several layouts have as many ranks, for libraries that know no layouts.
  void settle(const std::vector<Part*>& layouts);
  /// The cells of one place, which has been searched and settled.
  void confirm(Part& part);
  double messages_to_confirm(const Part& part) const;
  /// The same, of what has been simulated: what it takes beside each load, where there are several.
  void note_loads(Part& part);

 private:
  const TuneRequest& request_;
  Simulations simulations_;
  SearchOptions options_;
  const std::string confirming_;
  const std::shared_ptr<const SweepCandidates> candidates_;
};

}  // namespace tutti
