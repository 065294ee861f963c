#include <vector>

#include "algos/patterns/bine.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allgather_bine_block_by_block(Comm comm, Call call) {
  const int size = comm.size(), core = bine_core(size), rank = comm.rank();
  co_await comm.wait(comm.copy(call.block(rank), call.in));
  if (rank == core) {  // an odd number of ranks: the last but one stands for the last, too
    co_await comm.blocking_send(rank - 1, call.block(rank));
    co_await comm.wait(comm.recv(rank - 1, call.block(0, core)));
    co_return;
  }
  if (rank + 2 == size && core < size) co_await comm.wait(comm.recv(core, call.block(core)));
  const auto block = [=](Rank of) { return call.block(of, of + 2 == size && core < size ? 2 : 1); };

  std::vector<Op> ops;
  for (int step = bine_steps(core) - 1; step >= 0; --step) {  // far ranks first, each block by itself
    const Rank peer = bine_peer(rank, step, core);
    const auto& arrivals = bine_arrivals(core, BineOrder::far_first);
    ops.clear();
    for (Rank x = 1; x < core; ++x) {
      if (arrivals[x] != step) continue;
      ops.push_back(comm.send(peer, block(bine_block(peer, x, core))));
      ops.push_back(comm.recv(peer, block(bine_block(rank, x, core))));
    }
    co_await comm.wait(ops);
  }
  if (rank + 2 == size && core < size) co_await comm.blocking_send(core, call.block(0, core));
}

TUTTI_ALGORITHM(allgather, "bine_block_by_block", allgather_bine_block_by_block)
    .rounds("ceil_log(p - p%2 + (p == 1), 2) + (odd(p) && p > 1 ? 2 : 0)")
    .messages("odd(p) && p > 1 ? (p-1)*(p-2) + 2 : p*(p-1)")
    .bytes("(p-1)*n")
    .cite(
        "De Sensi et al.: Bine Trees, SC 2025 (arXiv 2508.17311); HLC-Lab/pico, libbine_allgather.c, "
        "allgather_bine_block_by_block and allgather_bine_block_by_block_any_even")
    .deviates(
        "There for even numbers of ranks only; a block that comes two ways is taken the first time at any of them");

}  // namespace tutti
