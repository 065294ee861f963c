#pragma once

#include <string>
#include <string_view>

#include "algos/call.hpp"

namespace tutti {

std::string_view name_of(Operator op);
/// sum, product, min, max, user-commutative or user. Throws InputError on another name.
Operator operator_named(const std::string& name);

}  // namespace tutti
