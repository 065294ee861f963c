#include <vector>

#include "algos/allgather/calls.hpp"
#include "algos/patterns/bine.hpp"
#include "algos/registry.hpp"

namespace tutti {
namespace {

/// Puts the block of each rank, which lies where its number says, in its own place: cycle by cycle, with one block
/// aside.
Task put_in_order(Comm comm, Call call) {
  const int size = comm.size();
  const View aside = comm.scratch(call.blocks.largest());
  std::vector<bool> is_placed(static_cast<std::size_t>(size));
  for (Rank first = 0; first < size; ++first) {
    if (is_placed[first] || bine_number(first, size) == first) continue;
    co_await comm.wait(comm.copy(aside, call.block(first)));
    Rank free = first;
    for (Rank from; (from = bine_number(free, size)) != first; free = from) {
      co_await comm.wait(comm.copy(call.block(free), call.block(from)));
      is_placed[free] = true;
    }
    co_await comm.wait(comm.copy(call.block(free), aside));
    is_placed[free] = true;
  }
}

}  // namespace

Task allgather_bine_permute_remap(Comm comm, Call call) {
  if (call.blocks.firsts || call.blocks.larger != 0) {  // those of two sizes cannot change places
    co_await allgather_bine_block_by_block(comm, call);
    co_return;
  }
  const int size = comm.size(), rank = comm.rank(), number = bine_number(rank, size);
  // Blocks lie by number until the end, so that a window of numbers is in one.
  co_await comm.wait(comm.copy(call.block(number), call.in));
  for (int step = bine_steps(size) - 1, held = 1; step >= 0; --step, held *= 2) {
    const Rank peer = bine_peer(rank, step, size);
    co_await comm.exchange(peer, call.block(number & -held, held), peer, call.block((number ^ held) & -held, held));
  }
  co_await put_in_order(comm, call);
}

TUTTI_ALGORITHM(allgather, "bine_permute_remap", allgather_bine_permute_remap)
    .fallback("!pow2(p)", "bine_block_by_block")
    .rounds("log2(p)")
    .messages("p*log2(p)")
    .bytes("(p-1)*n")
    .cite(
        "De Sensi et al.: Bine Trees, SC 2025 (arXiv 2508.17311); HLC-Lab/pico, libbine_allgather.c, "
        "allgather_bine_permute_remap and allgather_bine_permute_static")
    .deviates("There blocks are of one size; where they are not, bine_block_by_block runs here");

}  // namespace tutti
