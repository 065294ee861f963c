#pragma once

#include <span>
#include <string>

#include "cli/whatif_output.hpp"

namespace tutti::cli {

/// A line on the cells that take more than 1 % longer although every figure that changes is better (or shorter although
/// every one is worse), for a reader would take that for an error; empty where there are none. A figure whose direction
/// is not known ends the question, and so does another placement or a failure.
std::string surprises_text(const Change& change, std::size_t index, std::span<const WhatIfCell> cells);

}  // namespace tutti::cli
