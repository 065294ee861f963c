#include "algos/patterns/fold.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task reduce_rabenseifner(Comm comm, Call call) {
  const Rank rank = comm.rank(), root = call.root;
  const Fold fold(comm.size(), 0);  // of a pair of ranks the even one takes part
  const Count count = call.in.elements();
  const View sum = rank == root ? call.out : comm.scratch(count), incoming = comm.scratch(count);
  co_await comm.wait(comm.copy(sum, call.in));

  if (fold.paired(rank)) {  // each of a pair combines one half; the even rank gets both
    const Rank partner = fold.partner(rank);
    const Count left = count / 2, right = count - left;
    const bool even = fold.takes_part(rank);
    const View mine = even ? sum.slice(0, left) : sum.slice(left, right), its = incoming.slice(0, mine.elements());
    const View right_half = sum.slice(left, right), given = even ? right_half : sum.slice(0, left);
    co_await comm.exchange(partner, given, partner, its);
    co_await comm.wait(comm.combine(mine, its, mine));
    if (even)
      co_await comm.wait(comm.recv(partner, right_half));
    else
      co_await comm.blocking_send(partner, right_half);
  }

  // Reduce-scatter: the window of the vector that this rank still combines halves at each step.
  int number = fold.takes_part(rank) ? fold.core_number(rank) : -1;
  std::vector<View> windows{sum};
  for (int distance = 1; number >= 0 && distance < fold.core; distance *= 2) {
    const View window = windows.back();
    const Count left = window.elements() / 2;
    const View halves[2] = {window.slice(0, left), window.slice(left, window.elements() - left)};
    const int keep = number & distance ? 1 : 0;
    const Rank partner = fold.rank_of(number ^ distance);
    const View its = incoming.slice(0, halves[keep].elements());
    co_await comm.exchange(partner, halves[1 - keep], partner, its);
    co_await comm.wait(comm.combine(halves[keep], its, halves[keep]));
    windows.push_back(halves[keep]);
  }

  // A root that takes no part takes the place of rank 0.
  const bool root_replaces_first = !fold.takes_part(root);
  const int root_number = root_replaces_first ? 0 : fold.core_number(root);
  if (root_replaces_first && rank == root) {
    number = 0;
    for (int distance = 1; distance < fold.core; distance *= 2)
      windows.push_back(windows.back().slice(0, windows.back().elements() / 2));
    co_await comm.wait(comm.recv(0, windows.back()));
  } else if (root_replaces_first && number == 0) {
    co_await comm.blocking_send(root, windows.back());
    co_return;
  }

  // Gather: the steps backwards, the windows grow; whoever is in the half without the root sends and is done.
  for (int distance = fold.core / 2; number >= 0 && distance > 0; distance /= 2) {
    const View half = windows.back();
    windows.pop_back();
    const View window = windows.back();
    const int other = number ^ distance;
    const Rank partner = other == 0 && root_replaces_first ? root : fold.rank_of(other);
    if ((number & distance) != (root_number & distance)) {
      co_await comm.blocking_send(partner, half);
      co_return;
    }
    const Count kept = half.elements(), got = window.elements() - kept;
    co_await comm.wait(comm.recv(partner, window.slice(number & distance ? 0 : kept, got)));
  }
}

namespace {
/// Elements sent in the gather, for a window that has been halved for all distances below this one.
double gathered(std::int64_t window, int distance, int core, int root_number) {
  if (distance == core) return 0;
  const std::int64_t left = window / 2, right = window - left;
  return static_cast<double>(root_number & distance ? left : right) + gathered(left, 2 * distance, core, root_number) +
         gathered(right, 2 * distance, core, root_number);
}

double rabenseifner_bytes(const Facts& facts) {
  const Fold fold(static_cast<int>(facts["p"]), 0);
  const auto root = static_cast<Rank>(facts["root"]);
  const auto count = static_cast<std::int64_t>(facts["c"]);
  const double paired = fold.extra * static_cast<double>(count + count - count / 2);
  const double scattered = static_cast<double>(fold.core - 1) * facts["c"];
  const bool replaces_first = !fold.takes_part(root);
  const double moved = replaces_first ? static_cast<double>(count / fold.core) : 0;
  return (paired + scattered + moved + gathered(count, 1, fold.core, replaces_first ? 0 : fold.core_number(root))) *
         facts["e"];
}
}  // namespace

TUTTI_ALGORITHM(reduce, "rabenseifner", reduce_rabenseifner)
    .fallback("p < 2 || c < pow(2,floor_log(p,2)) || !commutative", "linear")
    .rounds("2*floor_log(p,2) + (pow2(p) ? 0 : 2) + (root < 2*(p-pow(2,floor_log(p,2))) && odd(root))")
    .messages(
        "pow(2,floor_log(p,2))*(floor_log(p,2)+1) - 1 + 3*(p-pow(2,floor_log(p,2)))"
        " + (root < 2*(p-pow(2,floor_log(p,2))) && odd(root))")
    .bytes(rabenseifner_bytes,
           "(q-1)*n + n*log2(q)/2 for reduce-scatter and gather among q = 2^floor(log2 p) ranks, "
           "+ 1.5*n for each folded rank, + n/q where the root is folded; exactly so where 2q divides c")
    .cite(
        "Rabenseifner: Optimization of Collective Reduction Operations, ICCS 2004; Thakur, Rabenseifner, Gropp: "
        "Optimization of Collective Communication Operations in MPICH, 2005, section 4.5")
    .deviates(
        "MPICH folds by sending the whole vector to the even rank, which alone combines, and cuts into blocks whose "
        "sizes differ by at most one element; it refuses what falls back here.");

}  // namespace tutti
