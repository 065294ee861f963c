#pragma once

#include "selection/library.hpp"

namespace tutti {

/// MPICH's names for algorithms.
inline const Library& mpich_names() { return find_library("mpich"); }

/// Whether it has a choice to make: of the other irregular collectives it has one algorithm each.
inline bool mpich_chooses(Collective c) { return is_regular(c) || c == Collective::allgatherv; }

/// Its words for the values of tree_type.
constexpr const char* kMpichTrees[] = {"kary", "knomial_1", "knomial_2"};

}  // namespace tutti
