#include "algos/patterns/recursive_halving.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task reduce_rabenseifner(Comm comm, Call call) {
  const Rank rank = comm.rank(), root = call.root;
  const Fold fold(comm.size(), 0);  // of a pair of ranks the even one takes part
  const View sum = rank == root ? call.out : comm.scratch(call.in.elements());
  const View inbox = comm.scratch(call.in.elements());
  co_await comm.wait(comm.copy(sum, call.in));
  co_await reduce_scatter_by_halving(comm, fold, sum, inbox);

  // A root that takes no part gets what rank 0 has reduced, and takes its place.
  const bool replaces_first = !fold.takes_part(root);
  if (!fold.takes_part(rank) && rank != root) co_return;
  const int number = fold.takes_part(rank) ? fold.core_number(rank) : 0;
  const int root_number = replaces_first ? 0 : fold.core_number(root);
  std::vector<Halving> steps = halvings(fold, number, sum);
  const View window = steps.empty() ? sum : steps.back().kept;
  if (replaces_first && rank == root) co_await comm.wait(comm.recv(0, window));
  if (replaces_first && rank == 0) co_await comm.blocking_send(root, window);
  if (replaces_first && rank == 0) co_return;
  for (int distance = fold.core / 2; distance > 0; distance /= 2, steps.pop_back()) {  // the windows grow again
    const Rank peer = replaces_first && steps.back().peer == 0 ? root : steps.back().peer;
    if ((number & distance) != (root_number & distance)) {
      co_await comm.blocking_send(peer, steps.back().kept);
      co_return;
    }
    co_await comm.wait(comm.recv(peer, steps.back().given));
  }
}

double reduce_rabenseifner_bytes(const Facts& facts) {
  const Fold fold(static_cast<int>(facts["p"]), 0);
  const auto root = static_cast<Rank>(facts["root"]);
  const auto count = static_cast<Count>(facts["c"]);
  const Count moved = fold.takes_part(root) ? 0 : count / fold.core;
  const double gathered = gathered_by_doubling(count, fold.core, fold.takes_part(root) ? fold.core_number(root) : 0);
  return (scattered_by_halving(fold, facts["c"]) + static_cast<double>(moved) + gathered) * facts["e"];
}

TUTTI_ALGORITHM(reduce, "rabenseifner", reduce_rabenseifner)
    .fallback("p < 2 || c < pow(2,floor_log(p,2)) || !commutative", "linear")
    .rounds("2*floor_log(p,2) + (pow2(p) ? 0 : 2) + (root < 2*(p-pow(2,floor_log(p,2))) && odd(root))")
    .messages(
        "pow(2,floor_log(p,2))*(floor_log(p,2)+1) - 1 + 3*(p-pow(2,floor_log(p,2)))"
        " + (root < 2*(p-pow(2,floor_log(p,2))) && odd(root))")
    .bytes(reduce_rabenseifner_bytes,
           "(q-1)*n + n*log2(q)/2 for reduce-scatter and gather among q = 2^floor(log2 p) ranks, "
           "+ 1.5*n for each folded rank, + n/q where the root is folded; exactly so where 2q divides c")
    .cite(
        "Rabenseifner: Optimization of Collective Reduction Operations, ICCS 2004; Thakur, Rabenseifner, Gropp: "
        "Optimization of Collective Communication Operations in MPICH, 2005, section 4.5")
    .deviates(
        "MPICH folds by sending the whole vector to the even rank, which alone combines, and cuts into blocks whose "
        "sizes differ by at most one element; it refuses what falls back here.");

}  // namespace tutti
