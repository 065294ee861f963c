#include <utility>

#include "algos/patterns/fold.hpp"
#include "algos/patterns/recursive_exchange.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task reduce_scatter_butterfly(Comm comm, Call call) {
  const Fold fold(comm.size());
  const RecursiveExchange mirrored(comm.size(), 2);
  const Rank rank = comm.rank(), partner = fold.partner(rank);
  if (comm.size() == 1) {
    co_await comm.wait(comm.copy(call.out, call.in));
    co_return;
  }
  View sum = comm.scratch(call.in.elements()), arrived = comm.scratch(call.in.elements());
  co_await comm.wait(comm.copy(sum, call.in));
  if (!fold.takes_part(rank)) {
    co_await comm.blocking_send(partner, sum);
    co_await comm.wait(comm.recv(fold.rank_of(mirrored.reversed(fold.core_number(rank))), call.out));
    co_return;
  }
  if (fold.paired(rank)) {
    co_await comm.wait(comm.recv(partner, arrived));
    co_await comm.wait(comm.combine(sum, arrived, sum));
  }
  // the blocks of core numbers low … low+n-1 in a buffer, those of dropped-out partners among them
  const auto blocks = [=](View buffer, int low, int n) {
    const Rank first = fold.first_of(low);
    return call.blocks.of(buffer, first, fold.first_of(low + n) - first);
  };
  const int number = fold.core_number(rank);
  int low = 0, half = fold.core / 2;
  for (int distance = 1; distance < fold.core; distance <<= 1, half /= 2) {
    const bool upper = number & distance;
    const Rank peer = fold.rank_of(number ^ distance);
    const int given = low + (upper ? 0 : half), kept = low + (upper ? half : 0);
    const View mine = blocks(sum, kept, half), theirs = blocks(arrived, kept, half);
    co_await comm.exchange(peer, blocks(sum, given, half), peer, theirs);
    if (upper) {
      co_await comm.wait(comm.combine(mine, theirs, mine));
    } else {
      co_await comm.wait(comm.combine(theirs, mine, theirs));
      std::swap(sum, arrived);
    }
    low = kept;
  }
  // this rank now holds the blocks of its mirror, and the mirror those of this rank
  const Rank owner = fold.rank_of(mirrored.reversed(number));
  if (fold.paired(owner)) co_await comm.blocking_send(fold.partner(owner), call.blocks.of(sum, fold.partner(owner)));
  if (owner == rank)
    co_await comm.wait(comm.copy(call.out, call.blocks.of(sum, rank)));
  else
    co_await comm.exchange(owner, call.blocks.of(sum, owner), owner, call.out);
}

double reduce_scatter_butterfly_rounds(const Facts& f) {
  const Fold fold(static_cast<int>(f["p"]));
  const int steps = std::bit_width(static_cast<unsigned>(fold.core)) - 1;
  const int exchange = steps > 1 ? 1 : 0;  // with two or fewer in the core all are their own mirrors
  if (fold.extra == 0) return steps + exchange;
  return 1 + steps + (fold.extra > 1 ? 1 + exchange : 1);
}

namespace {

/// The vectors folded in, the halves, and each block that ends up away from its owner.
double bytes(const Facts& f) {
  const Fold fold(static_cast<int>(f["p"]));
  const RecursiveExchange mirrored(fold.ranks, 2);
  const Blocks blocks = Blocks::split(static_cast<Count>(f["c"]), fold.ranks);
  double moved = 0;
  for (Rank rank = 0; rank < fold.ranks; ++rank) {
    const int number = fold.core_number(rank);
    if (!fold.takes_part(rank) || mirrored.reversed(number) != number) moved += static_cast<double>(blocks.count(rank));
  }
  return (f["p"] - 1) * f["n"] + moved * f["e"];
}

}  // namespace

TUTTI_ALGORITHM(reduce_scatter, "butterfly", reduce_scatter_butterfly)
    .rounds(reduce_scatter_butterfly_rounds, "floor_log(p,2), 1 to mirror the blocks, and up to 2 to fold")
    .messages(
        "pow(2,floor_log(p,2))*(floor_log(p,2) + 1) - pow(2,ceil(floor_log(p,2)/2)) + "
        "2*(p - pow(2,floor_log(p,2)))")
    .bytes(bytes, "(p-1)*n and the blocks of all ranks but those that are their own mirrors")
    .cite("Traeff: An Improved Algorithm for (Non-commutative) Reduce-Scatter with an Application, EuroPVM/MPI 2005");

}  // namespace tutti
