#pragma once

#include <string>

#include "algos/call.hpp"

namespace tutti {

/// sum, product, min, max, user-commutative or user. Throws InputError on another name.
Operator operator_named(const std::string& name);

}  // namespace tutti
