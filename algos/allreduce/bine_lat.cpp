#include "algos/patterns/bine.hpp"
#include "algos/patterns/fold.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_bine_lat(Comm comm, Call call) {
  const Fold fold(comm.size());
  const Rank rank = comm.rank(), partner = fold.partner(rank);
  if (comm.size() == 1) {
    co_await comm.wait(comm.copy(call.out, call.in));
    co_return;
  }
  const View mine = comm.scratch(call.out.elements()), theirs = call.out;
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
  for (int step = 0; step < bine_steps(fold.core); ++step) {
    const Rank peer = fold.rank_of(bine_peer(fold.core_number(rank), step, fold.core));
    co_await comm.exchange(peer, mine, peer, theirs);
    co_await comm.wait(comm.combine(mine, theirs, mine));
  }
  if (fold.paired(rank)) co_await comm.blocking_send(partner, mine);
  co_await comm.wait(comm.copy(call.out, mine));
}

TUTTI_ALGORITHM(allreduce, "bine_lat", allreduce_bine_lat)
    .commutative()
    .rounds("floor_log(p,2) + (pow2(p) ? 0 : 2)")
    .messages("pow(2,floor_log(p,2))*floor_log(p,2) + 2*(p - pow(2,floor_log(p,2)))")
    .bytes("(pow(2,floor_log(p,2))*floor_log(p,2) + 2*(p - pow(2,floor_log(p,2))))*n")
    .cite(
        "De Sensi et al.: Bine Trees, SC 2025 (arXiv 2508.17311); HLC-Lab/pico, libbine_allreduce.c, "
        "allreduce_bine_lat: recursive doubling whose partners are nearer");

}  // namespace tutti
