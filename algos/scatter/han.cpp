#include "algos/patterns/two_levels.hpp"

namespace tutti {

Task scatter_han(Comm comm, Call call) {
  if (!comm.is_equal(Level::node) || call.blocks.firsts)
    co_return co_await run_part(comm, Collective::scatter, call.parameter("up"), call);
  const TwoLevels levels(comm, call.root);
  const int here = levels.node.size();
  const Count each = call.out.elements();
  const bool is_root = comm.rank() == call.root;
  View all = call.in;
  if (is_root && !comm.is_consecutive(Level::node)) {
    all = comm.scratch(comm.size() * each);
    const NodeOrder order(comm, levels);
    for (Rank r = 0; r < comm.size(); ++r)
      co_await comm.wait(comm.copy(all.slice(order.place_of(r) * each, each), call.block(r)));
  }
  const View of_node = comm.scratch(levels.leads ? here * each : 0);
  if (levels.leads)
    co_await run_part(levels.across, Collective::scatter, call.parameter("up"),
                      scatter_part(call, all, of_node, levels.across.size(), is_root, levels.root_across));
  co_await run_part(levels.node, Collective::scatter, call.parameter("low"),
                    scatter_part(call, of_node, call.out, here, levels.leads, levels.root_number));
}

namespace {

PartCounts han_counts(const Facts& facts) {
  const auto count = static_cast<Count>(facts["c"]);
  const Spread spread(facts);
  if (!spread.equal) return count_flat(facts, Collective::scatter, "up");
  return count_up(facts, spread, Collective::scatter, "up", spread.ppn * count) +
         count_low(facts, spread, Collective::scatter, "low", count);
}

}  // namespace

TUTTI_ALGORITHM(scatter, "han", scatter_han)
    .by_node()
    .parameter("low", 2, 1, 3)
    .parameter("up", 2, 1, 3)
    .rounds(rounds_of<han_counts>, "those of up and of low")
    .messages(messages_of<han_counts>, "those of up with as many blocks in one as a node has, and of low on each node")
    .bytes(bytes_of<han_counts>, "those of up with as many blocks in one as a node has, and of low on each node")
    .cite("Open MPI 5.0, coll/han, mca_coll_han_scatter_intra: the ranks with the root's number on their node, nodes")
    .deviates(
        "low and up are coll/tuned's numbers, which Open MPI chooses by size; where nodes have not as many ranks it "
        "leaves all to coll/tuned, here to up");

}  // namespace tutti
