#pragma once

#include <string>

#include "algos/view.hpp"

namespace tutti {

/// A rank that does not go on, and what has been seen or heard of that.
struct Loss {
  Rank rank = 0;
  std::string reason;
};

}  // namespace tutti
