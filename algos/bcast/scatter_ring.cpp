#include "algos/patterns/scatter_for_bcast.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task bcast_scatter_ring(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const Rank right = (comm.rank() + 1) % size, left = (comm.rank() - 1 + size) % size;
  const CeilingBlocks blocks(call.out.elements(), size);
  if (call.out.empty()) co_return;
  co_await scatter_for_bcast(comm, call);
  for (int step = 0; step < size - 1; ++step)
    co_await comm.exchange(right, blocks.of(call.out, (vrank - step + size) % size), left,
                           blocks.of(call.out, (vrank - step - 1 + size) % size));
}

namespace {
double scatter_ring_rounds(const Facts& facts) {
  return facts["n"] == 0 ? 0 : scatter_for_bcast_rounds(facts) + facts["p"] - 1;
}
double scatter_ring_messages(const Facts& facts) {
  return facts["n"] == 0 ? 0 : scatter_for_bcast_messages(facts) + facts["p"] * (facts["p"] - 1);
}
double scatter_ring_bytes(const Facts& facts) { return scatter_for_bcast_bytes(facts) + (facts["p"] - 1) * facts["n"]; }
}  // namespace

TUTTI_ALGORITHM(bcast, "scatter_ring", bcast_scatter_ring)
    .fallback("c < p", "linear")
    .rounds(scatter_ring_rounds, "n == 0 ? 0 : ceil_log(ceil(c/ceil(c/p)),2) + p-1")
    .messages(scatter_ring_messages, "n == 0 ? 0 : ceil(c/ceil(c/p))-1 + p*(p-1)")
    .bytes(scatter_ring_bytes, "(p-1)*n + each block times the bits set in its virtual rank")
    .cite(
        "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, 2005, section 4.3")
    .deviates("MPICH has no fall-back for few elements, and takes its blocks in bytes.");

}  // namespace tutti
