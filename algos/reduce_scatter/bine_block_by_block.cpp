#include <vector>

#include "algos/patterns/bine.hpp"

namespace tutti {

Task reduce_scatter_bine_block_by_block(Comm comm, Call call) {
  const int size = comm.size(), core = bine_core(size), rank = comm.rank();
  const bool stands_for_last = rank + 2 == size && core < size;  // of an odd number of ranks, the last but one
  if (rank == core) {
    co_await comm.blocking_send(rank - 1, call.in);
    co_await comm.wait(comm.recv(rank - 1, call.out));
    co_return;
  }
  const View sum = comm.scratch(call.in.elements()), arrived = comm.scratch(call.in.elements());
  co_await comm.wait(comm.copy(sum, call.in));
  if (stands_for_last) {
    co_await comm.wait(comm.recv(core, arrived));
    co_await comm.wait(comm.combine(sum, arrived, sum));
  }
  const auto block = [=](const View& buffer, Rank of) {
    return call.blocks.of(buffer, of, of + 2 == size && core < size ? 2 : 1);
  };

  std::vector<Rank> blocks;
  std::vector<Op> received, sent;
  for (int step = 0; step < bine_steps(core); ++step) {  // the allgather backwards: near ranks first
    const Rank peer = bine_peer(rank, step, core);
    const auto& arrivals = bine_arrivals(core, BineOrder::far_first);
    blocks.clear(), received.clear(), sent.clear();
    for (Rank x = 1; x < core; ++x) {
      if (arrivals[x] != step) continue;
      blocks.push_back(bine_block(peer, x, core));
      received.push_back(comm.recv(peer, block(arrived, blocks.back())));
      sent.push_back(comm.send(peer, block(sum, bine_block(rank, x, core))));
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      co_await comm.wait(received[i]);
      const View mine = block(sum, blocks[i]);
      co_await comm.wait(comm.combine(mine, block(arrived, blocks[i]), mine));
    }
    co_await comm.wait(sent);
  }
  if (stands_for_last) co_await comm.blocking_send(core, call.blocks.of(sum, core));
  co_await comm.wait(comm.copy(call.out, call.blocks.of(sum, rank)));
}

TUTTI_ALGORITHM(reduce_scatter, "bine_block_by_block", reduce_scatter_bine_block_by_block)
    .commutative()
    .rounds("ceil_log(p - p%2 + (p == 1), 2) + (odd(p) && p > 1 ? 2 : 0)")
    .messages("odd(p) && p > 1 ? (p-1)*(p-2) + 2 : p*(p-1)")
    .bytes("(p-1)*n + (odd(p) && p > 1 ? last*e : 0)")
    .cite(
        "De Sensi et al.: Bine Trees, SC 2025 (arXiv 2508.17311); HLC-Lab/pico, libbine_reduce_scatter.c, "
        "reduce_scatter_bine_block_by_block and reduce_scatter_bine_block_by_block_any_even")
    .deviates(
        "There for even numbers of ranks only, and a power of two receives its own block at once where it belongs");

}  // namespace tutti
