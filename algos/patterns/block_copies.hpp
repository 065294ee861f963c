#pragma once

#include <vector>

#include "algos/task.hpp"

namespace tutti {

/// Posts the copies of so many blocks, `to(i)` from `from(i)`.
template <class To, class From>
std::vector<Op> copy_blocks(const Comm& comm, int blocks, To to, From from) {
  std::vector<Op> copies;
  for (int i = 0; i < blocks; ++i) copies.push_back(comm.copy(to(i), from(i)));
  return copies;
}

/// Posts op(run, its part of the message) for runs that lie one after the other in a message, into `ops` alone.
template <class Operation>
void post_for_runs(std::vector<Op>& ops, const std::vector<View>& runs, const View& message, Operation op) {
  Count at = 0;
  ops.clear();
  for (const View& run : runs) {
    ops.push_back(op(run, message.slice(at, run.elements())));
    at += run.elements();
  }
}
inline Count elements_of(const std::vector<View>& runs) {
  Count elements = 0;
  for (const View& run : runs) elements += run.elements();
  return elements;
}

}  // namespace tutti
