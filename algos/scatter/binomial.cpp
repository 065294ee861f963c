#include "algos/patterns/binomial.hpp"

#include "algos/patterns/rotation.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task scatter_binomial(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const Rotation order{call.blocks, call.root};  // as virtual ranks follow one another
  const auto elements = [=](int v, int ranks) { return order.first(v + ranks) - order.first(v); };
  int distance = binomial_parent_distance(vrank, size);
  if (vrank % 2 == 1) {  // a leaf
    co_await comm.wait(comm.recv(real_rank(vrank - distance, call.root, size), call.out));
    co_return;
  }
  View held = call.in;  // blocks of the virtual ranks from this one on
  if (vrank != 0) {
    held = comm.scratch(elements(vrank, binomial_subtree(vrank, size)));
    co_await comm.wait(comm.recv(real_rank(vrank - distance, call.root, size), held));
  } else if (call.root != 0) {
    const int wrapped = size - call.root;  // this many blocks come before rank 0's
    held = comm.scratch(call.blocks.total());
    co_await comm.wait(comm.copy(order.of(held, wrapped, call.root), call.block(0, call.root)),
                       comm.copy(order.of(held, 0, wrapped), call.block(call.root, wrapped)));
  }
  if (!call.in_place) co_await comm.wait(comm.copy(call.out, held.slice(0, elements(vrank, 1))));
  while (distance /= 2) {
    const int child = vrank + distance;
    if (child < size)
      co_await comm.blocking_send(
          real_rank(child, call.root, size),
          held.slice(elements(vrank, distance), elements(child, binomial_subtree(child, size))));
  }
}

TUTTI_ALGORITHM(scatter, "binomial", scatter_binomial)
    .rounds("ceil_log(p,2)")
    .messages("p-1")
    .bytes("sum(i, 0, ceil_log(p,2)-1, floor(p/pow(2,i+1))*pow(2,i) + max(0, p%pow(2,i+1)-pow(2,i)))*c*e")
    .cite("Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, 2005, section 4")
    .deviates("MPICH copies a rank's own block out after it has served its children, Open MPI and ours before.");

}  // namespace tutti
