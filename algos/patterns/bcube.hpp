#pragma once

#include "algos/blocks.hpp"
#include "algos/patterns/combine_in_order.hpp"
#include "algos/patterns/mixed_radix.hpp"

namespace tutti {

/// An allreduce among the ranks of a row, of what each has in `vector`, in the order of their places: a reduce-scatter
/// among those that differ in one digit, nearest first, then an allgather the same way back. Gloo, allreduce_bcube.h.
template <class RankAt>
Task reduce_in_digits(Comm comm, Row<RankAt> row, View vector, std::int64_t at_most) {
  const Blocks blocks = Blocks::split(vector.elements(), row.size);
  const auto radices = mixed_radices(row.size, at_most);
  std::vector<Op> ops;
  int low = 0, n = row.size, distance = 1;  // the blocks that are still this rank's concern: n from `low` on
  const auto run = [&](int first, int of) { return blocks.of(vector, first + of * n, n); };
  for (const int radix : radices) {
    const int digit = row.place / distance % radix;
    n /= radix;
    const View mine = run(low, digit), inbox = comm.scratch((radix - 1) * mine.elements());
    const auto place = [&](int from) {
      return inbox.slice((from < digit ? from : from - 1) * mine.elements(), mine.elements());
    };
    exchange_in_digit(comm, row, radix, distance, ops, place, [&](int to) { return run(low, to); });
    co_await comm.wait(ops);
    co_await combine_in_order(comm, mine, inbox, radix, digit);
    low += digit * n;
    distance *= radix;
  }
  for (auto radix = radices.rbegin(); radix != radices.rend(); ++radix, n *= *(radix - 1)) {
    distance /= *radix;
    const int first = low - row.place / distance % *radix * n;
    exchange_in_digit(
        comm, row, *radix, distance, ops, [&](int from) { return run(first, from); }, [&](int) { return run(low, 0); });
    co_await comm.wait(ops);
    low = first;
  }
}

}  // namespace tutti
