#pragma once

#include <functional>

#include "sim/engine.hpp"

namespace tutti {

/// Whether a skew has several calls (skew:SECONDS:CALLS): each begins on an idle machine, and its ranks come late anew.
bool has_several_arrivals(const Mode& mode);

/// Of such an experiment, what its calls took, each simulated by `run` with a seed of its own, the first with the
/// experiment's; the makespan is their median, all else, what is recorded too, the last one's. Of any other, what `run`
/// says. Throws InputError beside another job, at whose beginning each of the calls would be.
Result over_arrivals(const Experiment& experiment, const std::function<Result(const Experiment&)>& run);

}  // namespace tutti
