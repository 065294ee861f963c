#include <algorithm>
#include <bit>

#include "algos/barrier/calls.hpp"
#include "algos/bcast/calls.hpp"
#include "algos/patterns/node_places.hpp"

namespace tutti {

Task barrier_smp(Comm comm, Call call) {
  const Comm node = comm.group(Level::node), leaders = comm.leaders(Level::node);
  co_await barrier_bruck(node, call);
  if (leaders.is_member()) co_await barrier_bruck(leaders, call);
  Call release = call;
  release.in = release.out = comm.scratch(1);
  co_await bcast_binomial_halving(node, release);
}

namespace {

int ceil_log2(int ranks) { return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks) - 1)); }

double smp_messages(const Facts& facts) {
  const std::vector<int> sizes = node_sizes(facts);
  const auto nodes = static_cast<int>(sizes.size());
  double messages = static_cast<double>(nodes) * ceil_log2(nodes);
  for (const int size : sizes) messages += static_cast<double>(size) * ceil_log2(size) + size - 1;
  return messages;
}
double smp_bytes(const Facts& facts) { return facts["p"] - static_cast<double>(node_sizes(facts).size()); }
/// Every first rank waits for the largest node, then all go on together.
double smp_rounds(const Facts& facts) {
  const std::vector<int> sizes = node_sizes(facts);
  return 2 * ceil_log2(*std::max_element(sizes.begin(), sizes.end())) + ceil_log2(static_cast<int>(sizes.size()));
}

}  // namespace

TUTTI_ALGORITHM(barrier, "smp", barrier_smp)
    .by_node()
    .rounds(smp_rounds, "ceil_log(s,2) on each node, then ceil_log(nodes,2), then ceil_log(s,2), s ranks on a node")
    .messages(smp_messages, "nodes*ceil_log(nodes,2) + the sum over nodes of s*ceil_log(s,2) + s-1, s ranks on a node")
    .bytes(smp_bytes, "p - nodes")
    .cite("MPICH, src/mpi/coll/barrier/barrier_intra_smp.c: nodes, their first ranks, a broadcast of one byte")
    .deviates("the barriers are disseminations and the broadcast is binomial, where MPICH selects");

}  // namespace tutti
