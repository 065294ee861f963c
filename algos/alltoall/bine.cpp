#include "algos/patterns/bine.hpp"

#include "algos/patterns/block_copies.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task alltoall_bine(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Count each = call.blocks.largest();
  const View work = comm.scratch(call.in.elements());  // the block whose way has the steps of i's bits is the i-th
  const View incoming = comm.scratch(call.in.elements() / 2);
  const auto away = [=](Rank from, int offset) {
    return (from % 2 == 0 ? from + offset : from - offset + size) % size;
  };
  const auto along = [=](int offset) { return work.slice(bine_way(offset, size) * each, each); };
  const std::vector<Op> leaves =
      copy_blocks(comm, size, along, [&](int offset) { return call.blocks.of(call.in, away(rank, offset)); });
  co_await comm.wait(leaves);

  for (int step = 0, bit = 1; bit < size; ++step, bit *= 2) {  // half of the blocks move on
    const Rank peer = bine_peer(rank, step, size);
    const View leaving = work.every(bit * each, bit * each, 2 * bit * each);
    const View packed = call.out.slice(0, leaving.elements());
    co_await comm.wait(comm.copy(packed, leaving));
    co_await comm.exchange(peer, packed, peer, incoming);
    co_await comm.wait(comm.copy(leaving, incoming));
  }

  const auto from = [=](int offset) {  // what came over an odd offset is from a rank of the other kind
    return offset % 2 == 0 ? away(rank, size - offset) : away(rank, offset);
  };
  const std::vector<Op> placed = copy_blocks(
      comm, size, [&](int offset) { return call.blocks.of(call.out, from(offset)); }, along);
  co_await comm.wait(placed);
}

TUTTI_ALGORITHM(alltoall, "bine", alltoall_bine)
    .fallback("!pow2(p)", "bruck")
    .rounds("log2(p)")
    .messages("p*log2(p)")
    .bytes("n*log2(p)*p/2")
    .cite("De Sensi et al.: Bine Trees, SC 2025 (arXiv 2508.17311); HLC-Lab/pico, libbine_alltoall.c")
    .deviates("There all blocks are copied in each step, those that stay as those that go");

}  // namespace tutti
