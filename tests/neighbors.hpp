#pragma once

#include "algos/case.hpp"

namespace tutti {

/// The case; where it is one among neighbours, among those around each rank of a grid that is as square as may be.
inline Case among_some_neighbors(const Case& c) {
  if (!is_of_neighbors(c.collective)) return c;
  int rows = 1;
  for (int i = 2; i * i <= c.ranks; ++i)
    if (c.ranks % i == 0) rows = i;
  return with_neighborhood(
      c, Neighborhood::from(std::to_string(rows) + "x" + std::to_string(c.ranks / rows) + ":box", c.ranks));
}

}  // namespace tutti
