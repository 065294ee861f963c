#include "algos/patterns/block_copies.hpp"
#include "algos/patterns/lanes.hpp"
#include "algos/patterns/lanes_of_blocks.hpp"
#include "algos/scatter/calls.hpp"

namespace tutti {

Task scatter_full_lane(Comm comm, Call call) {
  if (is_one_lane(comm)) co_return co_await run_choice(comm, "lane", call, call);
  const Comm node = comm.group(Level::node), lane = comm.peers(Level::node);
  const Rank root = node.rank_of(call.root);  // -1: on another node
  const bool is_root = comm.rank() == call.root;
  const Count each = call.out.elements();
  const View all = comm.scratch(is_root ? comm.size() * each : 0);  // lane after lane
  std::vector<Op> sorted;
  if (is_root) sorted = copy_into_order(comm, ranks_by_lane(comm), call.blocks, all, call.in);
  co_await comm.wait(sorted);
  const View of_lane = comm.scratch(root >= 0 ? lane.size() * each : 0);
  if (root >= 0) co_await scatter_linear(node, scatter_part(call, all, of_lane, node.size(), is_root, root));
  co_await run_choice(
      lane, "lane", call,
      scatter_part(call, of_lane, call.out, lane.size(), root >= 0, in_lane(comm, node, lane, call.root)));
}

TUTTI_ALGORITHM(scatter, "full_lane", scatter_full_lane)
    .by_node()
    .parameter("lane", number_of_choice(Collective::scatter, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::scatter, "linear"), number_of_choice(Collective::scatter, "bine")})
    .rounds(rounds_of<count_blocks_in_lanes>, "s-1, s ranks on a node, and those of the lane")
    .messages(messages_of<count_blocks_in_lanes>, "s-1, s ranks on a node, and those of the lane on each of s lanes")
    .bytes(bytes_of<count_blocks_in_lanes>, "(s-1)*nodes*c*e, and those of the lane on each of s lanes")
    .cite(kFullLane)
    .deviates(
        "on the root's node the scatter is linear, where the paper calls MPI_Scatter, and blocks are copied into the "
        "lanes' order, where it has a datatype; lane also serves all ranks where nodes have not as many each");

}  // namespace tutti
