#pragma once

#include <vector>

#include "sim/engine.hpp"

namespace tutti::fast {

/// By link of the machine's network: whether the experiment's messages could ever fill it. Of trunks that is asked of
/// the adapters that do send over it, and of those that receive, as the algorithm says; where it does not say that
/// without times, of all adapters that the ranks use (Network::can_fill). A link that cannot be full limits nobody, and
/// it does not matter which one a message takes.
std::vector<bool> fillable_links(const Machine& machine, const Experiment& experiment);

}  // namespace tutti::fast
