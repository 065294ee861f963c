#pragma once

#include <algorithm>
#include <vector>

#include "algos/task.hpp"

namespace tutti {

/// Factors whose product is `size`, each the largest up to `most` that divides what is left, or else its smallest
/// prime. A rank's place among `size` is a digit for each of them, the first one the fastest.
inline std::vector<int> mixed_radices(int size, std::int64_t at_most) {
  const int most = static_cast<int>(std::min<std::int64_t>(at_most, size));
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

/// Posts a direct exchange among the ranks that differ from this one in one digit only: from each of them the view that
/// `into(its digit)` gives, to each of them `what(its digit)`, those first that follow this rank's digit.
template <class Into, class What>
void exchange_in_digit(const Comm& comm, int radix, int distance, std::vector<Op>& ops, Into into, What what) {
  const int digit = comm.rank() / distance % radix;
  ops.clear();
  for (int i = 1; i < radix; ++i) {
    const int to = (digit + i) % radix, from = (digit - i + radix) % radix;
    ops.push_back(comm.recv(comm.rank() + (from - digit) * distance, into(from)));
    ops.push_back(comm.send(comm.rank() + (to - digit) * distance, what(to)));
  }
}
/// How many others a rank meets in the direct exchanges in all digits.
inline int met_in_digits(int size, std::int64_t at_most) {
  int met = 0;
  for (const int radix : mixed_radices(size, at_most)) met += radix - 1;
  return met;
}

}  // namespace tutti
