#include <bit>

#include "algos/registry.hpp"

namespace tutti {

Task barrier_recursive_doubling(Comm comm, Call) {
  const int size = comm.size(), rank = comm.rank();
  const auto core = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
  const View nothing;
  if (rank >= core) {
    co_await comm.exchange(rank - core, nothing, rank - core, nothing);
    co_return;
  }
  const bool speaks_for_two = rank + core < size;
  if (speaks_for_two) co_await comm.wait(comm.recv(rank + core, nothing));
  for (int distance = 1; distance < core; distance *= 2)
    co_await comm.exchange(rank ^ distance, nothing, rank ^ distance, nothing);
  if (speaks_for_two) co_await comm.blocking_send(rank + core, nothing);
}

TUTTI_ALGORITHM(barrier, "recursive_doubling", barrier_recursive_doubling)
    .rounds("floor_log(p,2) + (pow2(p) ? 0 : 2)")
    .messages("pow(2,floor_log(p,2))*floor_log(p,2) + 2*(p-pow(2,floor_log(p,2)))")
    .bytes("0")
    .cite("Open MPI, coll/base: recursive doubling; ranks above the largest power of two report to rank - power");

}  // namespace tutti
