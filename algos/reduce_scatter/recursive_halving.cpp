#include "algos/patterns/fold.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task reduce_scatter_recursive_halving(Comm comm, Call call) {
  const Fold fold(comm.size());
  const Rank rank = comm.rank(), partner = fold.partner(rank);
  if (call.in.empty()) co_return;
  const View sum = comm.scratch(call.in.elements()), arrived = comm.scratch(call.in.elements());
  co_await comm.wait(comm.copy(sum, call.in));
  co_await fold_in(comm, fold, sum, arrived);
  if (!fold.takes_part(rank)) {
    if (!call.out.empty()) co_await comm.wait(comm.recv(partner, call.out));
    co_return;
  }
  const auto blocks = [=](const View& of, int first, int n) { return fold.blocks_of(call.blocks, of, first, n); };
  const int number = fold.core_number(rank);
  int low = 0;  // the window of core numbers whose blocks this rank still reduces
  for (int half = fold.core / 2; half > 0; half /= 2) {
    const Rank peer = fold.rank_of(number ^ half);
    const View sent = blocks(sum, low + (~number & half), half);
    low += number & half;
    const View mine = blocks(sum, low, half), theirs = blocks(arrived, low, half);
    const Op received = theirs.empty() ? Op::none : comm.recv(peer, theirs);  // empty messages are not sent
    if (!sent.empty()) co_await comm.blocking_send(peer, sent);
    if (theirs.empty()) continue;
    co_await comm.wait(received);
    co_await comm.wait(comm.combine(mine, theirs, mine));
  }
  co_await comm.wait(comm.copy(call.out, call.blocks.of(sum, rank)));
  const View partners = call.blocks.of(sum, fold.paired(rank) ? partner : rank);
  if (fold.paired(rank) && !partners.empty()) co_await comm.blocking_send(partner, partners);
}

namespace {
/// At each step a half of `half` core numbers is sent by as many ranks, unless its blocks are empty.
double halving_messages(const Facts& f) {
  const Fold fold(static_cast<int>(f["p"]));
  const Blocks blocks = Blocks::split(static_cast<Count>(f["c"]), fold.ranks);
  int sent = blocks.total() == 0 ? 0 : fold.extra;
  for (int half = fold.core / 2; half > 0; half /= 2)
    for (int low = 0; low < fold.core; low += half)
      if (blocks.count(fold.first_of(low)) > 0) sent += half;  // the larger blocks come first
  for (int pair = 0; pair < fold.extra; ++pair) sent += blocks.count(2 * pair) > 0;
  return sent;
}
}  // namespace

TUTTI_ALGORITHM(reduce_scatter, "recursive_halving", reduce_scatter_recursive_halving)
    .commutative()
    .rounds("c == 0 ? 0 : floor_log(p,2) + (pow2(p) ? 0 : 2)")
    .messages(halving_messages, "P*log2(P) + 2*(p-P), P = 2^floor(log2(p)); fewer where blocks are empty")
    .bytes("(p-1)*n + e*((p - pow(2,floor_log(p,2)))*floor(c/p) + min(p - pow(2,floor_log(p,2)), ceil(c%p/2)))")
    .cite(
        "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 19(1), "
        "2005");

}  // namespace tutti
