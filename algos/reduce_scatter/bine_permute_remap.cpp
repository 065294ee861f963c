#include <vector>

#include "algos/patterns/bine.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task reduce_scatter_bine_permute_remap(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank(), number = bine_number(rank, size);
  const View sum = comm.scratch(call.in.elements()), arrived = comm.scratch(call.in.elements());
  std::vector<Count> firsts;  // blocks lie by number, so that a window of numbers is in one
  const Blocks numbered = bine_numbered(call.blocks, firsts);
  std::vector<Op> placed;
  for (int i = 0; i < size; ++i)
    placed.push_back(comm.copy(numbered.of(sum, i), call.blocks.of(call.in, bine_rank_of(i, size))));
  co_await comm.wait(placed);

  for (int step = 0, half = size / 2; half > 0; ++step, half /= 2) {  // the window of the numbers halves
    const Rank peer = bine_peer(rank, step, size);
    const int kept = number & -half;
    const View mine = numbered.of(sum, kept, half), theirs = numbered.of(arrived, kept, half);
    co_await comm.exchange(peer, numbered.of(sum, kept ^ half, half), peer, theirs);
    co_await comm.wait(comm.combine(mine, theirs, mine));
  }
  co_await comm.wait(comm.copy(call.out, numbered.of(sum, number)));
}

TUTTI_ALGORITHM(reduce_scatter, "bine_permute_remap", reduce_scatter_bine_permute_remap)
    .commutative()
    .fallback("!pow2(p)", "bine_block_by_block")
    .rounds("log2(p)")
    .messages("p*log2(p)")
    .bytes("(p-1)*n")
    .cite(
        "De Sensi et al.: Bine Trees, SC 2025 (arXiv 2508.17311); HLC-Lab/pico, libbine_reduce_scatter.c, "
        "reduce_scatter_bine_permute_remap");

}  // namespace tutti
