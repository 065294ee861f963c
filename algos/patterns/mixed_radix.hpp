#pragma once

#include <vector>

namespace tutti {

/// Factors whose product is `size`, each the largest up to `most` that divides what is left, or else its smallest
/// prime. A rank's place among `size` is a digit for each of them, the first one the fastest.
inline std::vector<int> mixed_radices(int size, int most) {
  std::vector<int> radices;
  for (int left = size; left > 1; left /= radices.back()) {
    int factor = most < left ? most : left;
    while (factor > 1 && left % factor != 0) --factor;
    if (factor == 1)
      for (factor = most + 1; left % factor != 0;) ++factor;
    radices.push_back(factor);
  }
  return radices;
}

}  // namespace tutti
