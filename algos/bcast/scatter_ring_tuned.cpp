#include "algos/patterns/binomial.hpp"
#include "algos/patterns/scatter_for_bcast.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task bcast_scatter_ring_tuned(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const Rank right = (comm.rank() + 1) % size, left = (comm.rank() - 1 + size) % size;
  const CeilingBlocks blocks(call.out.elements(), size);
  if (call.out.empty()) co_return;
  co_await scatter_for_bcast(comm, call);
  // Of a native ring's steps, the last ones bring a rank what the scatter has already given it: those are left out.
  const int received_steps = size - binomial_subtree(vrank, size);
  const int sent_steps = size - binomial_subtree((vrank + 1) % size, size);
  for (int step = 0; step < size - 1; ++step) {
    const View out = blocks.of(call.out, (vrank - step + size) % size);
    const View in = blocks.of(call.out, (vrank - step - 1 + size) % size);
    if (step < sent_steps && step < received_steps)
      co_await comm.exchange(right, out, left, in);
    else if (step < sent_steps)
      co_await comm.blocking_send(right, out);
    else if (step < received_steps)
      co_await comm.wait(comm.recv(left, in));
  }
}

namespace {
double scatter_ring_tuned_rounds(const Facts& facts) {
  return facts["n"] == 0 ? 0 : scatter_for_bcast_rounds(facts) + facts["p"] - 1;
}
double scatter_ring_tuned_messages(const Facts& facts) {
  if (facts["n"] == 0) return 0;
  const auto size = static_cast<int>(facts["p"]);
  double ring = 0;
  for (int v = 0; v < size; ++v) ring += size - binomial_subtree(v, size);
  return scatter_for_bcast_messages(facts) + ring;
}
}  // namespace

TUTTI_ALGORITHM(bcast, "scatter_ring_tuned", bcast_scatter_ring_tuned)
    .rounds(scatter_ring_tuned_rounds, "n == 0 ? 0 : ceil_log(ceil(c/ceil(c/p)),2) + p-1")
    .messages(scatter_ring_tuned_messages,
              "n == 0 ? 0 : ceil(c/ceil(c/p))-1 + p*p - the sizes of all binomial subtrees")
    .bytes("(p-1)*n")
    .cite(
        "Zhou, Marjanovic, Niethammer, Gracia: A bandwidth-saving optimization for MPI broadcast collective operation, "
        "arXiv 1603.06809");

}  // namespace tutti
