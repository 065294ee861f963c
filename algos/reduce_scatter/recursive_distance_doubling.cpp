#include "algos/patterns/mirror.hpp"
#include "algos/patterns/recursive_halving.hpp"
#include "algos/reduce_scatter/calls.hpp"

namespace tutti {

Task reduce_scatter_recursive_distance_doubling(Comm comm, Call call) {
  const Fold fold(comm.size(), 0);
  const Rank rank = comm.rank();
  const int number = fold.core_number(rank);
  const Rank mirror = fold.rank_of(mirror_of(fold, number));
  if (call.in.empty()) co_return;
  const View sum = comm.scratch(call.in.elements()), arrived = comm.scratch(call.in.elements());
  co_await comm.wait(comm.copy(sum, call.in));
  co_await fold_in_by_halves(comm, fold, sum, arrived);
  if (!fold.takes_part(rank)) {
    co_await comm.wait(comm.recv(mirror, call.out));
    co_return;
  }
  const auto blocks = [=](const View& of, int first, int n) { return fold.blocks_of(call.blocks, of, first, n); };
  int low = 0;  // of the window of core numbers whose blocks this rank still reduces: it halves, the distance doubles
  for (int distance = 1, half = fold.core / 2; distance < fold.core; distance *= 2, half /= 2) {
    const bool upper = number & distance;
    const Rank peer = fold.rank_of(number ^ distance);
    const View given = blocks(sum, low + (upper ? 0 : half), half);
    low += upper ? half : 0;
    const View mine = blocks(sum, low, half), theirs = blocks(arrived, low, half);
    co_await comm.exchange(peer, given, peer, theirs);
    co_await comm.wait(comm.combine(mine, theirs, mine));
  }
  // what is left is for the number that has this one's bits in reverse, and for whom that one stands
  if (fold.paired(mirror)) co_await comm.blocking_send(fold.partner(mirror), call.blocks.of(sum, fold.partner(mirror)));
  if (mirror == rank)
    co_await comm.wait(comm.copy(call.out, call.blocks.of(sum, rank)));
  else
    co_await comm.exchange(mirror, call.blocks.of(sum, mirror), mirror, call.out);
}

TUTTI_ALGORITHM(reduce_scatter, "recursive_distance_doubling", reduce_scatter_recursive_distance_doubling)
    .commutative()
    .rounds(kDistanceDoublingRounds)
    .messages(kDistanceDoublingMessages)
    .bytes(bytes_with_mirrors_by_halves, kDistanceDoublingBytes)
    .cite(kDistanceDoublingSources)
    .deviates(kDistanceDoublingDeviates);

}  // namespace tutti
