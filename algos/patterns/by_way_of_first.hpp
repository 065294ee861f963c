#pragma once

#include "algos/patterns/parts.hpp"

namespace tutti {

// What Open MPI puts together from other collectives by way of rank 0. It runs what it would choose for each of them on
// this communicator: here parameters named as the collective say which, by number.

/// The reduction of call.in to rank 0, into `result` there.
inline Task run_reduce_to_first(Comm comm, const Call& call, const View& result) {
  const std::int64_t number = reduce_number(call.parameter("reduce"), call.commutative());
  return run_part(comm, Collective::reduce, number, reduce_part(call, call.in, result, comm.rank() == 0, 0));
}

/// What that takes for a vector of so many elements.
inline PartCounts count_reduce_to_first(const Facts& facts, Count count) {
  const std::int64_t number = reduce_number(static_cast<std::int64_t>(facts["reduce"]), facts["commutative"] != 0);
  return count_part(facts, Collective::reduce, number, static_cast<int>(facts["p"]), count);
}

}  // namespace tutti
