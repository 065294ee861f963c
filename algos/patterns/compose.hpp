#pragma once

#include "algos/call.hpp"

namespace tutti {

// The calls of the parts of what is put together from others, by way of rank 0. Nothing is segmented.

/// The reduction of call.in to rank 0, into `result` there.
inline Call reduce_to_first(Rank rank, const Call& call, const View& result) {
  Call reduce = call.with("segment", 0);
  reduce.root = 0;
  reduce.in_place = rank == 0 && result == call.in;
  reduce.out = rank == 0 ? result : result.slice(0, 0);
  return reduce;
}

/// The gathering of all blocks at rank 0.
inline Call gather_to_first(Rank rank, const Call& call) {
  Call gather = call;
  gather.root = 0;
  gather.in_place = call.in_place && rank == 0;
  return gather;
}

/// The broadcast of rank 0's call.out.
inline Call bcast_from_first(const Call& call) {
  Call bcast = call.with("segment", 0);
  bcast.root = 0;
  bcast.in = call.out;
  return bcast;
}

}  // namespace tutti
