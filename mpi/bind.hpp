#pragma once

#include <string>

namespace tutti::mpi {

/// Binds the first and the last rank to two cores of their node that share this at most. All ranks must be on one node.
/// False on all ranks where the node has no such cores, and why on stdout. Ends the job where ranks are on several
/// nodes.
bool bind_apart(const std::string& what);

}  // namespace tutti::mpi
