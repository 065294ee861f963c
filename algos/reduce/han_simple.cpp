#include "algos/patterns/two_levels.hpp"

namespace tutti {

Task reduce_han_simple(Comm comm, Call call) {
  if (call.in.empty()) co_return;
  if (!comm.is_equal(Level::node)) co_return co_await run_part(comm, Collective::reduce, call.parameter("low"), call);
  const TwoLevels levels(comm, call.root);
  const bool is_root = comm.rank() == call.root;
  const View sum = is_root ? call.out : comm.scratch(levels.leads ? call.in.elements() : 0);
  co_await run_reduce(levels.node, call, "low", call.in, sum, levels.leads, levels.root_number);
  if (levels.leads) co_await run_reduce(levels.across, call, "up", sum, sum, is_root, levels.root_across);
}

namespace {

PartCounts simple_counts(const Facts& facts) {
  const auto count = static_cast<Count>(facts["c"]);
  if (count == 0) return {};
  const Spread spread(facts);
  if (!spread.equal) return count_flat(facts, Collective::reduce, "low");
  return count_up(facts, spread, Collective::reduce, "up", count) +
         count_low(facts, spread, Collective::reduce, "low", count);
}

}  // namespace

TUTTI_ALGORITHM(reduce, "han_simple", reduce_han_simple)
    .by_node()
    .commutative()
    .parameter("low", 5, 1, 7)
    .tried({1})
    .parameter("up", 5, 1, 7)
    .tried({1, 7})
    .rounds(rounds_of<simple_counts>, "those of low and of up")
    .messages(messages_of<simple_counts>, "those of low on each node, and of up")
    .bytes(bytes_of<simple_counts>, "those of low on each node, and of up")
    .cite("Open MPI 5.0, coll/han, mca_coll_han_reduce_intra_simple: nodes, ranks with the root's number on theirs")
    .deviates(
        "low and up are coll/tuned's numbers, which Open MPI chooses by size; where nodes have not as many ranks it "
        "leaves all to coll/tuned, here to low");

}  // namespace tutti
