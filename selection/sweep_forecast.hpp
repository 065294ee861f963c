#pragma once

#include <string>

#include "base/forecast.hpp"
#include "selection/schedule.hpp"

namespace tutti {

// How long the steps of a sweep take beside each other.

/// The search of a place of a piece (sweep_plan.hpp). Such as are known from both sides take less time.
Forecast::Item search_item(const Chain& piece, std::size_t i);
/// A step of another kind, `what`, at a place with so many sizes; until such are done, they are expected to take
/// `ratio` times as long as a search there that is not known from both sides.
Forecast::Item step_item(const std::string& what, const Part& part, double ratio);
/// What is confirmed there, once it is known how many messages that takes.
Forecast::Item confirm_item(const Part& part, double messages);

}  // namespace tutti
