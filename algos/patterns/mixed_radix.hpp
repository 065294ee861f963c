#pragma once

#include <algorithm>
#include <vector>

#include "algos/task.hpp"

namespace tutti {

/// Factors whose product is `size`, each the largest up to `most` that divides what is left, or else its smallest
/// prime. A place among `size` is a digit for each of them, the first one the fastest.
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

/// The largest number up to `size` whose prime factors are at most `at_most`, which is 2 at least.
inline int largest_smooth(int size, std::int64_t at_most) {
  if (at_most >= size) return size;
  const auto is_smooth = [at_most](int rest) {
    for (int factor = 2; factor <= at_most && rest > 1; ++factor)
      while (rest % factor == 0) rest /= factor;
    return rest == 1;
  };
  while (!is_smooth(size)) --size;
  return size;
}

/// Some ranks of a communicator in an order of their own: `rank_at(place)` is the rank there.
template <class RankAt>
struct Row {
  int size, place;  // this rank's
  RankAt rank_at;
};
template <class RankAt>
Row(int, int, RankAt) -> Row<RankAt>;

/// Posts a direct exchange among the ranks of a row whose places differ from this one's in one digit only: from each of
/// them the view that `into(its digit)` gives, to each of them `what(its digit)`, those first that follow this digit.
template <class RankAt, class Into, class What>
void exchange_in_digit(const Comm& comm, const Row<RankAt>& row, int radix, int distance, std::vector<Op>& ops,
                       Into into, What what) {
  const int digit = row.place / distance % radix;
  ops.clear();
  for (int i = 1; i < radix; ++i) {
    const int to = (digit + i) % radix, from = (digit - i + radix) % radix;
    ops.push_back(comm.recv(row.rank_at(row.place + (from - digit) * distance), into(from)));
    ops.push_back(comm.send(row.rank_at(row.place + (to - digit) * distance), what(to)));
  }
}
/// How many others a rank meets in the direct exchanges in all digits.
inline int met_in_digits(int size, std::int64_t at_most) {
  int met = 0;
  for (const int radix : mixed_radices(size, at_most)) met += radix - 1;
  return met;
}

}  // namespace tutti
