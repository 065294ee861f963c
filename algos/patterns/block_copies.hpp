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

}  // namespace tutti
