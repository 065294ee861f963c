#pragma once

#include "algos/case.hpp"

namespace tutti {

/// Whether the collective may be called with one buffer for input and output, as with MPI_IN_PLACE.
bool may_be_in_place(const Case& c);

/// Throws InputError where the case names a root, an operator, a size of elements or one buffer for input and output,
/// and its collective knows none; and where the root is no rank.
void expect_valid(const Case& c);

}  // namespace tutti
