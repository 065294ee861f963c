#include <bit>
#include <utility>
#include <vector>

#include "algos/patterns/recursive_exchange.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task reduce_scatter_noncommutative(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const RecursiveExchange mirrored(size, 2);
  const Count all = call.in.elements();
  View sum = comm.scratch(all), arrived = comm.scratch(all);
  std::vector<Op> copies;  // blocks in mirrored order, so that halving leaves each rank with its own
  for (int i = 0; i < size; ++i) copies.push_back(comm.copy(call.blocks.of(sum, mirrored.reversed(i)), call.block(i)));
  co_await comm.wait(copies);
  Count low = 0;
  for (int distance = 1; distance < size; distance <<= 1) {
    const Rank peer = rank ^ distance;
    const Count half = all / (2 * distance);
    const Count given = low + (rank < peer ? half : 0), kept = low + (rank < peer ? 0 : half);
    const View mine = sum.slice(kept, half), theirs = arrived.slice(kept, half);
    co_await comm.exchange(peer, sum.slice(given, half), peer, theirs);
    if (rank < peer) {
      co_await comm.wait(comm.combine(theirs, mine, theirs));
      std::swap(sum, arrived);
    } else {
      co_await comm.wait(comm.combine(mine, theirs, mine));
    }
    low = kept;
  }
  co_await comm.wait(comm.copy(call.out, sum.slice(low, call.out.elements())));
}

TUTTI_ALGORITHM(reduce_scatter, "noncommutative", reduce_scatter_noncommutative)
    .requires_that("pow2(p)", "a power of two of ranks")
    .requires_that("uneven == 0", "blocks of one size")
    .rounds("floor_log(p,2)")
    .messages("p*floor_log(p,2)")
    .bytes("(p-1)*n")
    .cite("Traeff: An Improved Algorithm for (Non-commutative) Reduce-Scatter with an Application, EuroPVM/MPI 2005");

}  // namespace tutti
