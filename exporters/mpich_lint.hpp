#pragma once

#include "exporters/mpich_tree.hpp"
#include "json/document.hpp"
#include "selection/lint.hpp"

namespace tutti {

/// Branches that no call enters, sizes that the library counts in other ways. What stands there as in the default is
/// left alone.
void lint_mpich_tree(const MpichTree& tree, const Document& document, Doubts& findings);

}  // namespace tutti
