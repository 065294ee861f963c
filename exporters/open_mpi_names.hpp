#pragma once

#include <optional>
#include <string>

#include "algos/registry.hpp"

namespace tutti {

// What Open MPI 6.0's coll/tuned calls its algorithms: a name beside the number that all versions go by.

/// The number of the algorithm that a rules file calls so, by name in large letters or small, or by number; nothing
/// where the library has none. 0 ("ignore") is its own choice.
std::optional<int> open_mpi_number(Collective collective, const std::string& text);
/// Of a number that open_mpi_number told.
std::string open_mpi_name(Collective collective, int number);
/// All names but that of its own choice: "linear, ring".
std::string open_mpi_names(Collective collective);

}  // namespace tutti
