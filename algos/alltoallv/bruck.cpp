#include <bit>
#include <vector>

#include "algos/patterns/irregular.hpp"
#include "algos/patterns/unaliased_input.hpp"

namespace tutti {

Task alltoallv_bruck(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const View in = unaliased_input(comm, call);
  co_await comm.wait(comm.copy(in, call.in));
  const auto after = [=](Rank r, int away) { return (r + away) % size; };
  const auto count = [=](Rank from, Rank to) {  // elements of a block
    return call.exchange ? call.exchange->all->from_to(from, to) : call.blocks.count(to);
  };

  std::vector<View> held;  // the block that goes `way` ranks on in all: where it lies, of whom the way so far says
  for (int way = 0; way < size; ++way) held.push_back(call.blocks.of(in, after(rank, way)));
  for (int distance = 1; distance < size; distance *= 2) {  // blocks whose way has this power of two in it move on
    std::vector<View*> moved;
    std::vector<Count> leaving{0}, arriving{0};  // where each begins in its message
    for (int way = distance; way < size; way = (way + 1) | distance) {
      const Rank from = after(rank, size - way % (2 * distance));
      moved.push_back(&held[way]);
      leaving.push_back(leaving.back() + moved.back()->elements());
      arriving.push_back(arriving.back() + count(from, after(from, way)));
    }
    const View packed = comm.scratch(leaving.back()), came = comm.scratch(arriving.back());
    std::vector<Op> copies;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      copies.push_back(comm.copy(packed.slice(leaving[i], moved[i]->elements()), *moved[i]));
      *moved[i] = came.slice(arriving[i], arriving[i + 1] - arriving[i]);
    }
    co_await comm.wait(copies);
    co_await comm.exchange(after(rank, distance), packed, after(rank, size - distance), came);
  }
  for (int way = 0; way < size; ++way) comm.copy(call.incoming(after(rank, size - way)), held[way]);
}

namespace {
double bytes(const Facts& facts) {
  return pair_bytes(facts, [](int away) { return std::popcount(static_cast<unsigned>(away)); });
}
}  // namespace

TUTTI_ALGORITHM(alltoallv, "bruck", alltoallv_bruck)
    .rounds("ceil_log(p,2)")
    .messages("p*ceil_log(p,2)")
    .bytes(bytes, "each block as many times as its way round the ranks has ones in binary")
    .cite(
        "Fan, Gilray, Kumar, et al.: Optimizing the Bruck Algorithm for Non-uniform All-to-all Communication, HPDC "
        "2022")
    .deviates(
        "all ranks know all counts; the paper's sends before each message those of the blocks in it, and pads buffers "
        "to the largest block");

}  // namespace tutti
