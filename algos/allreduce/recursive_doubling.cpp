#include <utility>

#include "algos/patterns/fold.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_recursive_doubling(Comm comm, Call call) {
  const Fold fold(comm.size());
  const Rank rank = comm.rank(), partner = fold.partner(rank);
  if (comm.size() == 1) {
    co_await comm.wait(comm.copy(call.out, call.in));
    co_return;
  }
  View mine = comm.scratch(call.out.elements()), theirs = call.out;
  co_await comm.wait(comm.copy(mine, call.in));
  if (!fold.takes_part(rank)) {
    co_await comm.blocking_send(partner, mine);
    co_await comm.wait(comm.recv(partner, call.out));
    co_return;
  }
  if (fold.paired(rank)) {
    co_await comm.wait(comm.recv(partner, theirs));
    co_await comm.wait(comm.combine(mine, theirs, mine));
  }
  for (int distance = 1; distance < fold.core; distance <<= 1) {
    const Rank peer = fold.rank_of(fold.core_number(rank) ^ distance);
    co_await comm.exchange(peer, mine, peer, theirs);
    if (rank < peer) {
      co_await comm.wait(comm.combine(theirs, mine, theirs));
      std::swap(mine, theirs);
    } else {
      co_await comm.wait(comm.combine(mine, theirs, mine));
    }
  }
  if (fold.paired(rank)) co_await comm.blocking_send(partner, mine);
  co_await comm.wait(comm.copy(call.out, mine));
}

TUTTI_ALGORITHM(allreduce, "recursive_doubling", allreduce_recursive_doubling)
    .rounds("floor_log(p,2) + (pow2(p) ? 0 : 2)")
    .messages("pow(2,floor_log(p,2))*floor_log(p,2) + 2*(p - pow(2,floor_log(p,2)))")
    .bytes("(pow(2,floor_log(p,2))*floor_log(p,2) + 2*(p - pow(2,floor_log(p,2))))*n")
    .cite(
        "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 19(1), 2005")
    .deviates("MPICH accumulates in the result buffer and copies after a step whose operands arrive in reverse order");

}  // namespace tutti
