#include <vector>

#include "algos/alltoall/calls.hpp"
#include "algos/patterns/lanes.hpp"

namespace tutti {

Task alltoall_full_lane(Comm comm, Call call) {
  if (!comm.is_equal(Level::node) || call.blocks.firsts) {
    co_await alltoall_pairwise(comm, call);
    co_return;
  }
  const Comm node = comm.group(Level::node), lane = comm.peers(Level::node);
  const int nodes = lane.size(), here = node.size();
  const Count each = call.blocks.count(0);
  const bool in_order = comm.is_consecutive(Level::node);
  const auto at = [=](const View& view, int i) { return view.slice(i * each, each); };
  const std::vector<Rank> ranks = ranks_by_lane(comm, here);
  std::vector<Op> copies;

  const View leaving = in_order ? call.in : comm.scratch(comm.size() * each);  // node after node
  for (int to = 0; !in_order && to < nodes; ++to) {
    const Rank first = ranks[static_cast<std::size_t>(node.rank() * nodes + to)];
    for (int number = 0; number < here; ++number) {
      const Rank rank = comm.mates_of(first, Level::node)[static_cast<std::size_t>(number)];
      copies.push_back(comm.copy(at(leaving, to * here + number), at(call.in, rank)));
    }
  }
  co_await comm.wait(copies);
  const View arrived = comm.scratch(comm.size() * each);
  co_await alltoall_pairwise(lane, alltoall_part(call, leaving, arrived, nodes));

  copies.clear();
  const View turned = comm.scratch(comm.size() * each);  // what goes to the same rank of this node in one
  for (int number = 0; number < here; ++number)
    for (int from = 0; from < nodes; ++from)
      copies.push_back(comm.copy(at(turned, number * nodes + from), at(arrived, from * here + number)));
  co_await comm.wait(copies);
  co_await alltoall_pairwise(node, alltoall_part(call, turned, arrived, here));

  copies.clear();
  for (int place = 0; place < comm.size(); ++place)
    copies.push_back(comm.copy(at(call.out, ranks[static_cast<std::size_t>(place)]), at(arrived, place)));
  co_await comm.wait(copies);
}

namespace {

PartCounts lane_counts(const Facts& facts) {
  const Spread spread(facts);
  const double p = facts["p"], across = spread.nodes - 1, on_node = spread.ppn - 1, total = p * facts["n"];
  if (!spread.equal) return {p - 1, p * (p - 1), (p - 1) * facts["n"]};
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
