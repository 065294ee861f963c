#pragma once

#include <optional>
#include <string>

#include "algos/registry.hpp"

namespace tutti {

// Open MPI's collectives by the numbers of its files (COLLTYPE_T of coll_base_functions.h).

/// The collective's number.
int open_mpi_id(Collective collective);
/// Ours of that number among those that coll/tuned looks for rules of.
std::optional<Collective> open_mpi_collective(std::int64_t id);
/// What Open MPI calls the collective of that number; nullptr where it has none.
const char* open_mpi_collective_name(std::int64_t id);

/// Whether coll/tuned looks for rules of the collective.
bool is_served_by_tuned(Collective collective);

}  // namespace tutti
