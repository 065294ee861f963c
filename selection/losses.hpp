#pragma once

#include <optional>
#include <string>

#include "models/machine.hpp"
#include "selection/candidates.hpp"

namespace tutti {

/// Messages of one call that are lost on their way and sent again (Transport::retransmitted_share). One every so many
/// is, so that a time with one tells nothing of a time with none, or with others.
struct Losses {
  double messages = 0;      // so many at most, by what is declared
  double each_seconds = 0;  // one is late by this

  /// Fewer than this are none. (Where ranks begin to count is spread out; simulations of 60 calls on LUMI lost none of
  /// which less than 0.7 was to be expected.)
  bool may_be() const { return messages >= 0.25; }
  /// A call takes longer by no more than all of them, one after the other. (In those simulations between nothing and
  /// that, in one of 60 more.)
  double most_seconds() const;
};

/// None of an algorithm that does not declare its counts. `real` is what runs, on a machine as it is for so many ranks
/// (Machine::for_job).
Losses losses_of(const Machine& machine, const Choice& real, const std::optional<Counts>& counts, const Case& c,
                 const Place& place);

/// For people: that times of such a machine may have messages in them that are sent again, and what one costs.
std::string losses_note(const Machine& machine);

}  // namespace tutti
