#include "algos/patterns/smp.hpp"

#include "algos/bcast/calls.hpp"
#include "algos/patterns/compose.hpp"
#include "algos/scan/calls.hpp"

namespace tutti {

Task scan_smp(Comm comm, Call call) {
  if (!comm.is_consecutive(Level::node)) {
    co_await scan_recursive_doubling(comm, call);
    co_return;
  }
  const Comm node = comm.group(Level::node), leaders = comm.leaders(Level::node);
  const Count n = call.out.elements();
  const int last = node.size() - 1;
  co_await scan_recursive_doubling(node, call);
  const View before = comm.scratch(n);  // the sum over all nodes before this one
  if (last > 0 && node.rank() == last) co_await comm.wait(node.send(0, call.out));
  if (leaders.is_member()) {
    Call across = call;
    across.in_place = false;
    across.in = last > 0 ? comm.scratch(n) : call.out;  // the node's sum
    across.out = comm.scratch(n);
    if (last > 0) co_await comm.wait(node.recv(last, across.in));
    co_await scan_recursive_doubling(leaders, across);
    if (leaders.rank() < leaders.size() - 1) co_await comm.wait(leaders.send(leaders.rank() + 1, across.out));
    if (leaders.rank() > 0) co_await comm.wait(leaders.recv(leaders.rank() - 1, before));
  }
  if (node.rank_of(0) == 0) co_return;  // the first node
  Call down = bcast_from_first(call);
  down.in = down.out = before;
  co_await bcast_binomial_halving(node, down);
  co_await comm.wait(comm.combine(call.out, before, call.out));
}

TUTTI_ALGORITHM(scan, "smp", scan_smp)
    .by_node()
    .rounds(smp_scan_rounds,
            "recursive doubling on each node, among the first ranks, the chain to the next node, a tree down")
    .messages(smp_scan_messages, "recursive doubling on each node and among the first ranks, and what links the two")
    .bytes(bytes_of_vectors<smp_scan_messages>, "n for each message")
    .cite("MPICH, src/mpi/coll/scan/scan_intra_smp.c: each node, the first ranks, each node but the first")
    .deviates(
        "where the ranks of a node do not follow one another it runs recursive doubling, as MPICH's selection does; "
        "operands stay in order, yet MPICH selects it for commutative operators only. MPICH also broadcasts on each "
        "node whether anything comes from the nodes before, which a rank can know; the scans inside are by recursive "
        "doubling and the broadcast is binomial, where MPICH selects");

}  // namespace tutti
