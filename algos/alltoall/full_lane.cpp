#include "algos/alltoall/calls.hpp"
#include "algos/patterns/block_copies.hpp"
#include "algos/patterns/lanes.hpp"

namespace tutti {

Task alltoall_full_lane(Comm comm, Call call) {
  if (!comm.is_equal(Level::node) || call.blocks.firsts) co_return co_await alltoall_pairwise(comm, call);
  const Comm node = comm.group(Level::node), lane = comm.peers(Level::node);
  const int nodes = lane.size(), here = node.size();
  const Count each = call.blocks.count(0);
  const bool in_order = comm.is_consecutive(Level::node);
  const View leaving = in_order ? call.in : comm.scratch(comm.size() * each);
  std::vector<Op> ordered;
  if (!in_order) ordered = copy_into_order(comm, ranks_by_node(comm), call.blocks, leaving, call.in);
  co_await comm.wait(ordered);
  const View arrived = comm.scratch(comm.size() * each);
  co_await alltoall_pairwise(lane, alltoall_part(call, leaving, arrived, nodes));

  const View turned = comm.scratch(comm.size() * each);  // what goes to the same rank of this node in one
  const std::vector<Op> together = copy_blocks(
      comm, here, [&](int number) { return turned.slice(Count{number} * nodes * each, nodes * each); },
      [&](int number) { return arrived.every(number * each, each, here * each); });
  co_await comm.wait(together);
  co_await alltoall_pairwise(node, alltoall_part(call, turned, arrived, here));

  const std::vector<Op> placed = copy_out_of_order(comm, ranks_by_lane(comm), call.blocks, call.out, arrived);
  co_await comm.wait(placed);
}

namespace {
PartCounts lane_counts(const Facts& facts) {
  const Spread spread(facts);
  const double p = facts["p"], across = spread.nodes - 1, on_node = spread.ppn - 1, total = p * facts["n"];
  if (!spread.equal) return count_instead(facts, "pairwise");
  return {across + on_node, p * (across + on_node), total / spread.nodes * across + total / spread.ppn * on_node};
}
}  // namespace

TUTTI_ALGORITHM(alltoall, "full_lane", alltoall_full_lane)
    .by_node()
    .rounds(rounds_of<lane_counts>, "nodes-1 + s-1, s ranks on a node")
    .messages(messages_of<lane_counts>, "p*(nodes-1 + s-1), s ranks on a node")
    .bytes(bytes_of<lane_counts>, "p*n*((nodes-1)/nodes + (s-1)/s), s ranks on a node")
    .cite("Traeff, Hunold: Decomposing MPI Collectives for Exploiting Multi-lane Communication, CLUSTER 2020")
    .deviates(
        "pairwise on lanes and nodes, where the paper calls MPI_Alltoall with datatypes, and blocks are copied; "
        "pairwise among all where nodes have not as many ranks each");

}  // namespace tutti
