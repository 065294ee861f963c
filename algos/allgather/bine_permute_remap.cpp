#include <vector>

#include "algos/patterns/bine.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allgather_bine_permute_remap(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank(), number = bine_number(rank, size);
  const View work = comm.scratch(call.out.elements());
  std::vector<Count> firsts;  // blocks lie by number, so that a window of numbers is in one
  const Blocks numbered = bine_numbered(call.blocks, firsts);
  co_await comm.wait(comm.copy(numbered.of(work, number), call.in));
  for (int step = bine_steps(size) - 1, held = 1; step >= 0; --step, held *= 2) {
    const Rank peer = bine_peer(rank, step, size);
    co_await comm.exchange(peer, numbered.of(work, number & -held, held), peer,
                           numbered.of(work, (number ^ held) & -held, held));
  }
  std::vector<Op> placed;
  for (int i = 0; i < size; ++i) placed.push_back(comm.copy(call.block(bine_rank_of(i, size)), numbered.of(work, i)));
  co_await comm.wait(placed);
}

TUTTI_ALGORITHM(allgather, "bine_permute_remap", allgather_bine_permute_remap)
    .fallback("!pow2(p)", "bine_block_by_block")
    .rounds("log2(p)")
    .messages("p*log2(p)")
    .bytes("(p-1)*n")
    .cite(
        "De Sensi et al.: Bine Trees, SC 2025 (arXiv 2508.17311); HLC-Lab/pico, libbine_allgather.c, "
        "allgather_bine_permute_remap and allgather_bine_permute_static")
    .deviates("There the blocks are put in order within the result buffer, one by one; here out of another");

}  // namespace tutti
