#pragma once

#include <vector>

#include "cli/layout.hpp"
#include "sim/background.hpp"

namespace tutti::cli {

/// The cores of another job beside the case's, one on each of its nodes; fills in how many ranks it has where a file
/// says it. Throws InputError.
std::vector<int> place_background(const Machine& machine, const LayoutOptions& where, const Layout& layout,
                                  BackgroundOptions& options);

}  // namespace tutti::cli
