#pragma once

#include <functional>
#include <string>

#include "base/error.hpp"

namespace tutti {

/// What act() is refused with as bad input; "accepted" where it is not.
inline std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace tutti
