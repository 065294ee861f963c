#include <algorithm>

#include "algos/patterns/direct.hpp"
#include "algos/patterns/lanes.hpp"

namespace tutti {

Task allreduce_multi_leader(Comm comm, Call call) {
  const Comm node = comm.group(Level::node), lane = comm.peers(Level::node);
  const auto leaders = static_cast<int>(std::min<std::int64_t>(call.parameter("leaders"), smallest_node(comm)));
  const Blocks blocks = Blocks::split(call.out.elements(), leaders);
  co_await comm.wait(comm.copy(call.out, call.in));
  co_await reduce_to_leaders(node, call.out, blocks);
  if (node.rank() < leaders) {
    const View own = blocks.of(call.out, node.rank());
    co_await run_part(lane, Collective::allreduce, call.parameter("lane"), allreduce_part(call, own, own));
  }
  co_await collect_from_leaders(node, call.out, blocks);
}

namespace {

PartCounts leader_counts(const Facts& facts) {
  const std::vector<int> sizes = node_sizes(facts);
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  const auto asked = static_cast<int>(std::min<double>(facts["leaders"], *most)), leaders = std::min(asked, *least);
  if (leaders < asked) facts.see_part("leaders", static_cast<int>(facts["p"]), leaders);
  const PartCounts node = on_nodes(sizes, [&](int ranks) {
    return PartCounts{ranks - 1.0, leaders * (ranks - 1.0), (ranks - 1) * facts["n"]};
  });
  return node + node + count_lanes(leaders, static_cast<Count>(facts["c"]), [&](Count elements) {
           return count_part(facts, Collective::allreduce, "lane", static_cast<int>(sizes.size()), elements);
         });
}

/// Where a small node goes on before a large one is ready, its part of the lane may be the longer one.
double least_leader_rounds(const Facts& facts) { return Spread(facts).equal ? leader_counts(facts).rounds : 0; }

}  // namespace

TUTTI_ALGORITHM(allreduce, "multi_leader", allreduce_multi_leader)
    .by_node()
    .commutative()
    .parameter("leaders", 4, 1)
    .tried({2, 8})
    .parameter("lane", 3, 1, 6)
    .tried({4, 6})
    .rounds_between(least_leader_rounds, rounds_of<leader_counts>,
                    "2*(s-1), s ranks on a node, and those of the lane; at most, where nodes have not as many")
    .messages(messages_of<leader_counts>, "2*(p-nodes)*leaders, and those of the lane for each leader")
    .bytes(bytes_of<leader_counts>, "2*(p-nodes)*n, and those of the lane, a block of n/leaders each")
    .cite(
        "Bayatpour, Chakraborty, Subramoni, Lu, Panda: Scalable reduction collectives with data partitioning-based "
        "multi-leader design, SC 2017")
    .deviates(
        "ranks send their blocks to the leaders, where the paper has shared memory; lane is a number of coll/tuned; "
        "where nodes have not as many ranks, there are at most as many leaders as the smallest has");

}  // namespace tutti
