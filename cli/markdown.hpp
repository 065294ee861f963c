#pragma once

#include <string>
#include <vector>

#include "algos/registry.hpp"

namespace tutti::cli {

/// The algorithm's id in Open MPI's coll/tuned, "7 (5.0+)" if only newer versions have it, "-" if none does.
std::string open_mpi_text(const Algorithm& algorithm);

/// What is known of the algorithms (sorted by collective), as a Markdown document for docs/: links are relative to
/// that folder.
std::string markdown(const std::vector<const Algorithm*>& algorithms);

}  // namespace tutti::cli
