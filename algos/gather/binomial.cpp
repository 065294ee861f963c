#include "algos/patterns/binomial.hpp"

#include "algos/patterns/rotation.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task gather_binomial(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const Rotation order{call.blocks, call.root};  // as virtual ranks follow one another
  const auto held = [=](int v, int ranks) { return order.first(v + ranks) - order.first(v); };
  View gathered = call.in;  // blocks of the virtual ranks from this one on; a leaf sends its own alone
  if (vrank == 0 && call.root == 0)
    gathered = call.out;
  else if (vrank % 2 == 0)
    gathered = comm.scratch(held(vrank, binomial_subtree(vrank, size)));
  if (vrank % 2 == 0) co_await comm.wait(comm.copy(gathered.slice(0, held(vrank, 1)), call.in));

  for (int distance = 1; distance < size; distance *= 2) {
    if (vrank & distance) {
      co_await comm.blocking_send(real_rank(vrank - distance, call.root, size), gathered);
      co_return;
    }
    const int child = vrank + distance;
    if (child < size)
      co_await comm.wait(comm.recv(real_rank(child, call.root, size),
                                   gathered.slice(held(vrank, distance), held(child, binomial_subtree(child, size)))));
  }
  if (call.root == 0) co_return;
  const int wrapped = size - call.root;  // this many blocks come before rank 0's
  co_await comm.wait(comm.copy(call.block(call.root, wrapped), order.of(gathered, 0, wrapped)),
                     comm.copy(call.block(0, call.root), order.of(gathered, wrapped, call.root)));
}

TUTTI_ALGORITHM(gather, "binomial", gather_binomial)
    .rounds("ceil_log(p,2)")
    .messages("p-1")
    .bytes("sum(i, 0, ceil_log(p,2)-1, floor(p/pow(2,i+1))*pow(2,i) + max(0, p%pow(2,i+1)-pow(2,i)))*c*e")
    .cite("Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, 2005, section 4")
    .deviates(
        "For blocks of 1 KiB and more MPICH receives into place at a root other than 0 and sends a rank's own block "
        "from where it is; here, as in Open MPI, both are copied.");

}  // namespace tutti
