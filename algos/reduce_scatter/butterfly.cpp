#include <utility>

#include "algos/patterns/mirror.hpp"

namespace tutti {

Task reduce_scatter_butterfly(Comm comm, Call call) {
  const Fold fold(comm.size());
  const Rank rank = comm.rank();
  if (comm.size() == 1) {
    co_await comm.wait(comm.copy(call.out, call.in));
    co_return;
  }
  View sum = comm.scratch(call.in.elements()), arrived = comm.scratch(call.in.elements());
  co_await comm.wait(comm.copy(sum, call.in));
  co_await fold_in(comm, fold, sum, arrived);
  if (!fold.takes_part(rank)) {
    co_await comm.wait(comm.recv(fold.rank_of(mirror_of(fold, fold.core_number(rank))), call.out));
    co_return;
  }
  const int number = fold.core_number(rank);
  int low = 0, half = fold.core / 2;
  for (int distance = 1; distance < fold.core; distance <<= 1, half /= 2) {
    const bool upper = number & distance;
    const Rank peer = fold.rank_of(number ^ distance);
    const int given = low + (upper ? 0 : half), kept = low + (upper ? half : 0);
    const View mine = fold.blocks_of(call.blocks, sum, kept, half);
    const View theirs = fold.blocks_of(call.blocks, arrived, kept, half);
    co_await comm.exchange(peer, fold.blocks_of(call.blocks, sum, given, half), peer, theirs);
    if (upper) {
      co_await comm.wait(comm.combine(mine, theirs, mine));
    } else {
      co_await comm.wait(comm.combine(theirs, mine, theirs));
      std::swap(sum, arrived);
    }
    low = kept;
  }
  // this rank now holds the blocks of its mirror, and the mirror those of this rank
  const Rank owner = fold.rank_of(mirror_of(fold, number));
  if (fold.paired(owner)) co_await comm.blocking_send(fold.partner(owner), call.blocks.of(sum, fold.partner(owner)));
  if (owner == rank)
    co_await comm.wait(comm.copy(call.out, call.blocks.of(sum, rank)));
  else
    co_await comm.exchange(owner, call.blocks.of(sum, owner), owner, call.out);
}

TUTTI_ALGORITHM(reduce_scatter, "butterfly", reduce_scatter_butterfly)
    .rounds("floor_log(p,2) + (pow2(p) ? (p > 2) : 2 + (p > pow(2,floor_log(p,2)) + 1))")
    .messages(
        "pow(2,floor_log(p,2))*(floor_log(p,2) + 1) - pow(2,ceil(floor_log(p,2)/2)) + "
        "2*(p - pow(2,floor_log(p,2)))")
    .bytes(bytes_with_mirrors, "(p-1)*n and the blocks of all ranks but those that are their own mirrors")
    .cite("Traeff: An Improved Algorithm for (Non-commutative) Reduce-Scatter with an Application, EuroPVM/MPI 2005");

}  // namespace tutti
