#include <vector>

#include "algos/patterns/fold.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_rabenseifner(Comm comm, Call call) {
  struct Halving {
    Rank peer;
    View kept, given;
  };
  const Fold fold(comm.size(), 0);
  const Rank rank = comm.rank(), partner = fold.partner(rank);
  const View inbox = comm.scratch(call.out.elements());
  const auto halve = [](const View& window, Rank peer, bool keep_lower) {
    const Count half = window.elements() / 2;
    const View lower = window.slice(0, half), upper = window.slice(half, window.elements() - half);
    return keep_lower ? Halving{peer, lower, upper} : Halving{peer, upper, lower};
  };
  co_await comm.wait(comm.copy(call.out, call.in));

  if (fold.paired(rank)) {  // the two combine half the vector each, then the even rank takes both halves
    const Halving half = halve(call.out, partner, fold.takes_part(rank));
    const View arrived = inbox.slice(0, half.kept.elements());
    co_await comm.exchange(partner, half.given, partner, arrived);
    co_await comm.wait(comm.combine(half.kept, arrived, half.kept));
    if (!fold.takes_part(rank)) {
      co_await comm.blocking_send(partner, half.kept);
      co_await comm.wait(comm.recv(partner, call.out));
      co_return;
    }
    co_await comm.wait(comm.recv(partner, half.given));
  }

  std::vector<Halving> steps;
  View window = call.out;
  for (int distance = 1; distance < fold.core; distance <<= 1) {  // reduce-scatter
    const Rank peer = fold.rank_of(fold.core_number(rank) ^ distance);
    const Halving& step = steps.emplace_back(halve(window, peer, rank < peer));
    const View arrived = inbox.slice(0, step.kept.elements());
    co_await comm.exchange(peer, step.given, peer, arrived);
    co_await comm.wait(comm.combine(step.kept, arrived, step.kept));
    window = step.kept;
  }
  for (; !steps.empty(); steps.pop_back())  // allgather, the same exchanges backwards
    co_await comm.exchange(steps.back().peer, steps.back().kept, steps.back().peer, steps.back().given);

  if (fold.paired(rank)) co_await comm.blocking_send(partner, call.out);
}

TUTTI_ALGORITHM(allreduce, "rabenseifner", allreduce_rabenseifner)
    .fallback("!commutative || c < pow(2,floor_log(p,2))", "linear")
    .rounds("2*floor_log(p,2) + (pow2(p) ? 0 : 3)")
    .messages("2*pow(2,floor_log(p,2))*floor_log(p,2) + 4*(p - pow(2,floor_log(p,2)))")
    .bytes("2*(pow(2,floor_log(p,2)) - 1)*n + (p - pow(2,floor_log(p,2)))*(2*c + ceil(c/2))*e")
    .cite("Rabenseifner: Optimization of Collective Reduction Operations, ICCS 2004")
    .deviates(
        "MPICH folds without halving (the even rank sends its whole vector to the odd one, which takes part), and cuts "
        "the vector into equal blocks rather than halves.");

}  // namespace tutti
