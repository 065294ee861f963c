#include <vector>

#include "algos/patterns/bine.hpp"
#include "algos/registry.hpp"

namespace tutti {
namespace {

/// Puts the block of each rank, which lies where its number says, in its own place: cycle by cycle, with one block aside.
Task put_in_order(Comm comm, Call call) {
  const int size = comm.size();
  const View aside = comm.scratch(call.blocks.largest());
  std::vector<bool> is_placed(static_cast<std::size_t>(size));
  for (Rank first = 0; first < size; ++first) {
    if (is_placed[static_cast<std::size_t>(first)] || bine_number(first, size) == first) continue;
    co_await comm.wait(comm.copy(aside, call.block(first)));
    Rank free = first;
    for (Rank from; (from = bine_number(free, size)) != first; free = from) {
      co_await comm.wait(comm.copy(call.block(free), call.block(from)));
      is_placed[static_cast<std::size_t>(free)] = true;
    }
    co_await comm.wait(comm.copy(call.block(free), aside));
    is_placed[static_cast<std::size_t>(free)] = true;
  }
}

}  // namespace

Task allgather_bine_permute_remap(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank(), number = bine_number(rank, size);
  // Blocks lie by number until the end, so that a window of numbers is in one: in the result where they are of one size.
  std::vector<Count> firsts;
  const Blocks numbered = bine_numbered(call.blocks, firsts);
  const bool in_result = firsts.empty();
  const View work = in_result ? call.out : comm.scratch(call.out.elements());
  co_await comm.wait(comm.copy(numbered.of(work, number), call.in));
  for (int step = bine_steps(size) - 1, held = 1; step >= 0; --step, held *= 2) {
    const Rank peer = bine_peer(rank, step, size);
    co_await comm.exchange(peer, numbered.of(work, number & -held, held), peer,
                           numbered.of(work, (number ^ held) & -held, held));
  }
  if (in_result) {
    co_await put_in_order(comm, call);
  } else {
    std::vector<Op> placed;
    for (int i = 0; i < size; ++i) placed.push_back(comm.copy(call.block(bine_rank_of(i, size)), numbered.of(work, i)));
    co_await comm.wait(placed);
  }
}

TUTTI_ALGORITHM(allgather, "bine_permute_remap", allgather_bine_permute_remap)
    .fallback("!pow2(p)", "bine_block_by_block")
    .rounds("log2(p)")
    .messages("p*log2(p)")
    .bytes("(p-1)*n")
    .cite(
        "De Sensi et al.: Bine Trees, SC 2025 (arXiv 2508.17311); HLC-Lab/pico, libbine_allgather.c, "
        "allgather_bine_permute_remap and allgather_bine_permute_static")
    .deviates("There blocks are of one size");

}  // namespace tutti
