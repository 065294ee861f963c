#include "algos/patterns/smp.hpp"

#include "algos/bcast/calls.hpp"
#include "algos/patterns/node_places.hpp"

namespace tutti {

Task bcast_smp(Comm comm, Call call) {
  if (call.out.empty()) co_return;
  const Comm node = comm.group(Level::node), leaders = comm.leaders(Level::node);
  const bool is_short =
      call.out.elements() * call.element_bytes < call.parameter("short") || comm.size() < 8;  // MPICH's least number
  const Rank root_here = node.rank_of(call.root);                                             // -1 on other nodes
  Call inside = call, across = call;
  inside.root = 0;
  across.root = leaders.rank_of(comm.leader_of(call.root, Level::node));
  if (is_short && root_here > 0) {
    if (comm.rank() == call.root) co_await comm.wait(node.send(0, call.out));
    if (node.rank() == 0) co_await comm.wait(node.recv(root_here, call.out));
  } else if (root_here > 0) {
    inside.root = root_here;
    co_await bcast_binomial_halving(node, inside);
  }
  if (leaders.is_member()) co_await bcast_binomial_halving(leaders, across);
  if (is_short || root_here <= 0) co_await bcast_binomial_halving(node, inside);
}

namespace {

bool is_short(const Facts& facts) { return facts["n"] < facts["short"] || facts["p"] < 8; }

double smp_messages(const Facts& facts) {
  if (facts["n"] == 0) return 0;
  const bool leads = place_of(facts, static_cast<Rank>(facts["root"])).number == 0;
  return facts["p"] - 1 + (is_short(facts) && !leads ? 1 : 0);
}
double smp_rounds(const Facts& facts) { return smp_bcast_rounds(facts, is_short(facts)); }

}  // namespace

TUTTI_ALGORITHM(bcast, "smp", bcast_smp)
    .by_node()
    .parameter("short", 12288, 0)
    .in_bytes()
    .tried({0})
    .fallback("n >= short && p >= 8 && (n >= 524288 || !pow2(p))", "scatter_ring")
    .rounds(
        smp_rounds,
        "n == 0 ? 0 : to the root's first rank, ceil_log(nodes,2) among the first ranks, ceil_log(s,2) on nodes of s")
    .messages(smp_messages, "n == 0 ? 0 : p-1, and one more from a root that is not its node's first rank (n < short)")
    .bytes(bytes_of_vectors<smp_messages>, "n for each message")
    .cite("MPICH, src/mpi/coll/bcast/bcast_intra_smp.c: the first ranks of nodes, then each node")
    .deviates("the broadcasts inside are binomial (knomial:radix=2), where MPICH selects");

}  // namespace tutti
