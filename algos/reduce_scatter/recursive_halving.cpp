#include "algos/patterns/recursive_halving.hpp"

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

TUTTI_ALGORITHM(reduce_scatter, "recursive_halving", reduce_scatter_recursive_halving)
    .commutative()
    .rounds(rounds_of_full_blocks, "log2(P) + (p > P ? 2 : 0); one less where all who take no part have empty blocks")
    .messages(messages_of_full_blocks, "P*log2(P) + 2*(p-P), P = 2^floor(log2(p)); fewer where blocks are empty")
    .bytes(bytes_of_full_blocks, "(p-1)*n and the blocks of those who take no part")
    .cite(
        "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 19(1), "
        "2005");

}  // namespace tutti
