#pragma once

#include <span>

#include "exporters/mpich_tree.hpp"
#include "selection/export.hpp"

namespace tutti {

/// What a selection file says of one collective: the rules, and MPICH's own choices where there is none.
MpichTree mpich_branch(Collective collective, std::span<const FileRules> rules);

}  // namespace tutti
