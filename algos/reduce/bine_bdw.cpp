#include <bit>

#include "algos/patterns/bine.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task reduce_bine_bdw(Comm comm, Call call) {
  const int size = comm.size(), steps = bine_steps(size), vrank = virtual_rank(comm.rank(), call.root, size);
  const int number = bine_number(vrank, size);
  const Blocks blocks = Blocks::split(call.in.elements(), size);
  const View sum = vrank == 0 ? call.out : comm.scratch(call.in.elements());
  const View arrived = comm.scratch(size > 1 ? call.in.elements() : 0);
  const auto peer_at = [=](int step) { return real_rank(bine_peer(vrank, step, size), call.root, size); };
  co_await comm.wait(comm.copy(sum, call.in));

  for (int step = 0; step < steps; ++step) {  // reduce-scatter: the window of the numbers halves
    const int half = size >> (step + 1), kept = number & -half;
    const View mine = blocks.of(sum, kept, half), theirs = blocks.of(arrived, kept, half);
    co_await comm.exchange(peer_at(step), blocks.of(sum, kept ^ half, half), peer_at(step), theirs);
    co_await comm.wait(comm.combine(mine, theirs, mine));
  }
  for (int step = steps - 1; step >= 0; --step) {  // gather: the steps backwards, to those with the lower number
    const int half = size >> (step + 1), held = number & -half;
    if (held & half) {
      co_await comm.blocking_send(peer_at(step), blocks.of(sum, held, half));
      co_return;
    }
    co_await comm.wait(comm.recv(peer_at(step), blocks.of(sum, held ^ half, half)));
  }
}

namespace {
/// In the gather each block travels as many steps as its number has ones.
double bytes(const Facts& facts) {
  const auto size = static_cast<int>(facts["p"]);
  const Blocks blocks = Blocks::split(static_cast<Count>(facts["c"]), size);
  double elements = (facts["p"] - 1) * facts["c"];
  for (int number = 0; number < size; ++number)
    elements += static_cast<double>(blocks.count(number) * std::popcount(static_cast<unsigned>(number)));
  return elements * facts["e"];
}
}  // namespace

TUTTI_ALGORITHM(reduce, "bine_bdw", reduce_bine_bdw)
    .commutative()
    .fallback("!pow2(p)", "bine_lat")
    .rounds("2*log2(p)")
    .messages("p*log2(p) + p - 1")
    .bytes(bytes, "(p-1)*n + each block times the bits set in its number")
    .cite("De Sensi et al.: Bine Trees, SC 2025 (arXiv 2508.17311); HLC-Lab/pico, libbine_reduce.c, reduce_bine_bdw")
    .deviates("There for rank 0 as the root, here for any");

}  // namespace tutti
