#include <algorithm>
#include <bit>

#include "algos/patterns/bine.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task bcast_bine_bdw_remap(Comm comm, Call call) {
  const int size = comm.size(), steps = bine_steps(size), vrank = virtual_rank(comm.rank(), call.root, size);
  const int number = bine_number(vrank, size);
  const Blocks blocks = Blocks::split(call.out.elements(), size);
  const auto peer_at = [=](int step) { return real_rank(bine_peer(vrank, step, size), call.root, size); };
  const auto window = [=](int number_in_it, int width) { return blocks.of(call.out, number_in_it & -width, width); };

  int entered = -1;  // in which step this rank gets its window: where its number has its last one
  if (number != 0) entered = steps - 1 - std::countr_zero(static_cast<unsigned>(number));
  for (int step = std::max(entered, 0); step < steps; ++step) {  // scatter: the window of the numbers halves
    const int half = size >> (step + 1);
    if (step == entered)
      co_await comm.wait(comm.recv(peer_at(step), window(number, half)));
    else
      co_await comm.blocking_send(peer_at(step), window(number ^ half, half));
  }
  for (int step = steps - 1; step >= 0; --step) {  // allgather: the steps backwards
    const int half = size >> (step + 1);
    const View mine = window(number, half), theirs = window(number ^ half, half);
    if (step > entered)  // what this rank gave away it still has
      co_await comm.blocking_send(peer_at(step), mine);
    else if (step == entered)
      co_await comm.wait(comm.recv(peer_at(step), theirs));
    else
      co_await comm.exchange(peer_at(step), mine, peer_at(step), theirs);
  }
}

TUTTI_ALGORITHM(bcast, "bine_bdw_remap", bcast_bine_bdw_remap)
    .fallback("!pow2(p)", "bine_lat_new")
    .rounds("2*log2(p)")
    .messages("p*log2(p)")
    .bytes("(p-1)*n")
    .cite(
        "De Sensi et al.: Bine Trees, SC 2025 (arXiv 2508.17311); HLC-Lab/pico, libbine_bcast.c, bcast_bine_bdw_remap")
    .deviates("There for rank 0 as the root, here for any");

}  // namespace tutti
