#pragma once

#include "algos/call.hpp"
#include "algos/comm.hpp"

namespace tutti {

/// Where a call's input is to be read from while its output is written: the input itself, or, in place, a scratch copy
/// that the caller makes by `copy(result, call.in)` (which does nothing where the two are the same).
inline View unaliased_input(const Comm& comm, const Call& call) {
  return call.in_place ? comm.scratch(call.in.elements()) : call.in;
}

}  // namespace tutti
