#pragma once

#include <string_view>

#include "algos/registry.hpp"

namespace tutti {

/// Communication schedules that are known to the last message: those of Schedgen, run as MPI programs that goal2mpi
/// made of them (De Sensi et al., Noise in the Clouds, arXiv 2210.15315). A rank posts all its receives, then sends,
/// blocking and in turn, as soon as what a send depends on is there. They are no algorithms to choose from, so that
/// they are not in the registry: they are there to be simulated beside what they were measured to take. A case's
/// elements are bytes. nullptr: no such schedule.
const Algorithm* schedgen_schedule(Collective collective, std::string_view name);

/// What the programs do where a schedule computes: they wait for a nanosecond per byte.
inline constexpr double schedgen_compute_seconds_per_byte = 1e-9;

}  // namespace tutti
