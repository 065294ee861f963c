#pragma once

#include <cstdint>

#include "algos/case.hpp"
#include "models/trust.hpp"

namespace tutti {

/// trust_in for this call on so many nodes; at most fitted far where it is unlike all that figures are fitted to: where
/// another job or noise is beside it or ranks come late (`disturbed`), or its blocks differ by more than the element
/// that an even division leaves over. Bytes in the total convention (docs/formats.md).
Trust trust_of_call(const Machine& machine, const Provenance& provenance, const Case& c, int nodes, int ppn,
                    std::int64_t bytes, bool disturbed);

}  // namespace tutti
