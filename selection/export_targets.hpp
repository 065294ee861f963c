#pragma once

#include <vector>

#include "algos/registry.hpp"

namespace tutti {

/// Who asks a table for the best of what it has: everyone, then, each kind once, the libraries that exporters write
/// for. By export target and candidate: whether it is one of the choices that the target can have.
std::vector<std::vector<bool>> export_targets_among(const std::vector<Choice>& candidates);

}  // namespace tutti
