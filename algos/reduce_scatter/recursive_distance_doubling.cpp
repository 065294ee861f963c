#include "algos/patterns/mirror.hpp"

namespace tutti {

Task reduce_scatter_recursive_distance_doubling(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  if (call.in.empty()) co_return;
  const View sum = comm.scratch(call.in.elements()), arrived = comm.scratch(call.in.elements());
  co_await comm.wait(comm.copy(sum, call.in));

  int low = 0;  // of the window of blocks that this rank still reduces: it halves while the distance doubles
  for (int distance = 1, half = size / 2; distance < size; distance *= 2, half /= 2) {
    const bool upper = rank & distance;
    const Rank peer = rank ^ distance;
    const int given = low + (upper ? 0 : half), kept = low + (upper ? half : 0);
    const View mine = call.blocks.of(sum, kept, half), theirs = call.blocks.of(arrived, kept, half);
    co_await comm.exchange(peer, call.blocks.of(sum, given, half), peer, theirs);
    co_await comm.wait(comm.combine(mine, theirs, mine));
    low = kept;
  }
  // the block left is that of the rank whose number has this rank's bits in reverse, which has this rank's
  const Rank mirror = mirror_of(Fold(size), rank);
  if (mirror == rank)
    co_await comm.wait(comm.copy(call.out, call.blocks.of(sum, rank)));
  else
    co_await comm.exchange(mirror, call.blocks.of(sum, mirror), mirror, call.out);
}

TUTTI_ALGORITHM(reduce_scatter, "recursive_distance_doubling", reduce_scatter_recursive_distance_doubling)
    .commutative()
    .fallback("!pow2(p)", "butterfly")
    .rounds("c == 0 ? 0 : log2(p) + (p > 2)")
    .messages("c == 0 ? 0 : p*log2(p) + p - pow(2,ceil(log2(p)/2))")
    .bytes(bytes_with_mirrors, "(p-1)*n and the blocks of all ranks but those that are their own mirrors")
    .cite(
        "HLC-Lab, PICO (arXiv 2508.16809), libbine_reduce_scatter.c: the textbook's butterfly for powers of two, with "
        "the blocks put right at the end; Rabenseifner: Optimization of Collective Reduction Operations, ICCS 2004")
    .deviates("PICO sends nothing where a half of the window is empty");

}  // namespace tutti
