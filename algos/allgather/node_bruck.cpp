#include <algorithm>

#include "algos/patterns/node_rotation.hpp"
#include "algos/patterns/ring.hpp"

namespace tutti {

Task allgather_node_bruck(Comm comm, Call call) {
  const NodeRotation nodes(comm, call.blocks);
  const Comm node = comm.group(Level::node);
  const int rank = node.rank();
  const View held = comm.scratch(call.out.elements());  // node after node, the own first
  const std::vector<Count> firsts_of_own = nodes.firsts_on_own();
  const Blocks own{node.size(), 0, 0, firsts_of_own.data()};
  co_await comm.wait(comm.copy(own.of(held, rank), call.in));
  co_await collect_around_ring(node, held, own, rank);
  for (int have = 1; have < nodes.number(); have *= nodes.fewest() + 1) {  // the i-th fetches those i * have nodes away
    const std::vector<Count> firsts = nodes.firsts_of_fetched(have);
    const Blocks fetched{node.size(), 0, 0, firsts.data()};
    if (const int away = (rank + 1) * have; rank < nodes.fewest() && away < nodes.number()) {
      const int wanted = std::min(have, nodes.number() - away);
      co_await comm.exchange(nodes.rank_on(-away, rank), held.slice(0, nodes.first(wanted)), nodes.rank_on(away, rank),
                             fetched.of(held, rank));
    }
    co_await collect_around_ring(node, held, fetched, rank);
  }
  const std::vector<Op> copies = nodes.place(comm, call, held);
  co_await comm.wait(copies);
}

namespace {

PartCounts node_bruck_counts(const Facts& facts) {
  const std::vector<int> sizes = node_sizes(facts);
  const int nodes = static_cast<int>(sizes.size()), fewest = *std::min_element(sizes.begin(), sizes.end());
  const PartCounts rings = on_nodes(sizes, [](int size) { return PartCounts{size - 1.0, size * (size - 1.0), 0}; });
  PartCounts all = rings;
  for (int have = 1; have < nodes; have *= fewest + 1)
    all = all + rings + PartCounts{1, 1.0 * nodes * std::min(fewest, (nodes - 1) / have), 0};
  return all;
}

}  // namespace

TUTTI_ALGORITHM(allgather, "node_bruck", allgather_node_bruck)
    .by_node()
    .rounds_between([](const Facts& facts) { return Spread(facts).equal ? node_bruck_counts(facts).rounds : 0; },
                    rounds_of<node_bruck_counts>,  // ranks of smaller nodes may be ahead
                    "s for each step and s-1 before, s ranks on the largest node")
    .messages(messages_of<node_bruck_counts>, "a ring on each node before and after each step")
    .bytes("(p-1)*n")
    .cite("Bienz, Gautam, Kharel: A Locality-Aware Bruck Allgather, EuroMPI 2022 (arXiv 2206.03564)")
    .deviates(
        "a node's ranks share around a ring, where the paper calls MPI_Allgather; where nodes have not as many ranks, "
        "as many of each fetch as the smallest has");

}  // namespace tutti
