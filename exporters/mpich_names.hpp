#pragma once

#include "selection/library.hpp"

namespace tutti {

/// MPICH's names for algorithms.
inline const Library& mpich_names() { return find_library("mpich"); }

/// Its words for the values of tree_type.
constexpr const char* kMpichTrees[] = {"kary", "knomial_1", "knomial_2"};

}  // namespace tutti
