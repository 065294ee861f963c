#pragma once
// What Fujitsu MPI and the Bine-trees programs on Fugaku call algorithms.

#include <string>

#include "algos/registry.hpp"

namespace tutti {

/// Whether a row's algorithm is named by Fujitsu MPI (implementation "fujitsu") or by HLC-Lab's program for Fugaku
/// ("bine_mpi": over MPI; "bine_utofu": puts past MPI, with costs of its own).
bool is_fujitsu(const std::string& implementation);

/// Our name for such a row's algorithm; "": none of ours.
std::string fujitsu_algorithm(Collective collective, const std::string& implementation, const std::string& label);

}  // namespace tutti
