#include "algos/patterns/bine.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task reduce_scatter_bine_send_remap(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank(), number = bine_number(rank, size);
  const View sum = comm.scratch(call.in.elements()), arrived = comm.scratch(call.in.elements());
  co_await comm.wait(comm.copy(sum, call.in));
  for (int step = 0, half = size / 2; half > 0; ++step, half /= 2) {  // the window of the numbers halves
    const Rank peer = bine_peer(rank, step, size);
    const int kept = number & -half;
    const View mine = call.blocks.of(sum, kept, half), theirs = call.blocks.of(arrived, kept, half);
    co_await comm.exchange(peer, call.blocks.of(sum, kept ^ half, half), peer, theirs);
    co_await comm.wait(comm.combine(mine, theirs, mine));
  }
  // this rank has the block of the rank that is its number
  if (number == rank)
    co_await comm.wait(comm.copy(call.out, call.blocks.of(sum, rank)));
  else
    co_await comm.exchange(number, call.blocks.of(sum, number), bine_rank_of(rank, size), call.out);
}

namespace {
double remapped_messages(const Facts& facts) {
  const auto size = static_cast<int>(facts["p"]);
  double moved = 0;
  for (Rank rank = 0; rank < size; ++rank) moved += bine_number(rank, size) != rank;
  return facts["p"] * bine_steps(size) + moved;
}
double remapped_bytes(const Facts& facts) {
  const auto size = static_cast<int>(facts["p"]);
  double moved = 0;
  for (Rank rank = 0; rank < size; ++rank)
    if (bine_number(rank, size) != rank) moved += static_cast<double>(facts.count_of(rank));
  return (facts["p"] - 1) * facts["n"] + moved * facts["e"];
}
}  // namespace

TUTTI_ALGORITHM(reduce_scatter, "bine_send_remap", reduce_scatter_bine_send_remap)
    .commutative()
    .fallback("!pow2(p)", "bine_block_by_block")
    .rounds("log2(p) + (p > 2)")
    .messages(remapped_messages, "p*log2(p), and one to each rank that another stands for")
    .bytes(remapped_bytes, "(p-1)*n and the blocks of the ranks that others stand for")
    .cite(
        "De Sensi et al.: Bine Trees, SC 2025 (arXiv 2508.17311); HLC-Lab/pico, libbine_reduce_scatter.c, "
        "reduce_scatter_bine_send_remap");

}  // namespace tutti
