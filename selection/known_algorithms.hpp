#pragma once

#include <string>
#include <vector>

#include "algos/call.hpp"

namespace tutti {

/// Throws InputError where one of the choices ("ring", "knomial:radix=8") is of an algorithm that none of the
/// collectives has.
void expect_known(const std::vector<std::string>& choices, const std::vector<Collective>& collectives);

}  // namespace tutti
