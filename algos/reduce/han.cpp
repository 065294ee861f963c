#include "algos/patterns/libnbc.hpp"
#include "algos/patterns/segments.hpp"
#include "algos/patterns/two_levels.hpp"

namespace tutti {

Task reduce_han(Comm comm, Call call) {
  if (call.in.empty()) co_return;
  if (!comm.is_equal(Level::node)) co_return co_await run_part(comm, Collective::reduce, call.parameter("low"), call);
  const TwoLevels levels(comm, call.root);
  const bool is_root = comm.rank() == call.root;
  const Segments own(call.in, call), result(call.out, call);
  const Count each = levels.leads ? own[0].elements() : 0;
  const View two = comm.scratch(is_root ? 0 : 2 * each);  // of who leads, in turn
  Count i = 0;
  const auto sum = [&] { return is_root ? result[i] : two.slice(i % 2 * each, levels.leads ? own[i].elements() : 0); };
  for (Task across; i < own.count(); ++i) {  // on nodes, while the segment before is on its way between them
    co_await run_reduce(levels.node, call, "low", own[i], sum(), levels.leads, levels.root_number);
    if (across) co_await across;
    if (levels.leads)
      across = libnbc_reduce(levels.across, reduce_part(call, sum(), sum(), is_root, levels.root_across));
    if (i + 1 == own.count() && across) co_await across;
  }
}

namespace {
PartCounts both_levels(const Facts& facts, Count elements) {
  const Spread spread(facts);
  return count_low(facts, spread, Collective::reduce, "low", elements) +
         count_libnbc_reduce(facts, spread.nodes, elements, spread.root_across);
}
PartCounts han_counts(const Facts& facts) {
  const bool flat = !Spread(facts).equal && facts["c"] > 0;
  return flat ? count_flat(facts, Collective::reduce, "low") : of_all_segments<both_levels>(facts);
}
double least_han_rounds(const Facts& facts) {
  return Spread(facts).equal ? rounds_of_last_segment<both_levels>(facts) : han_counts(facts).rounds;
}
constexpr const char* kCounted =
    "for each segment those of low on each node, and of a non-blocking reduction between them";
}  // namespace

TUTTI_ALGORITHM(reduce, "han", reduce_han)
    .by_node()
    .commutative()
    .parameter("low", 5, 1, 7)
    .tried({1})
    .parameter("segment", 65536, 0)
    .tried({524288})
    .rounds_between(least_han_rounds, rounds_of<han_counts>,
                    "those of a segment, on nodes and between them, at most those of all")
    .messages(messages_of<han_counts>, kCounted)
    .bytes(bytes_of<han_counts>, kCounted)
    .cite("Open MPI 5.0, coll/han, mca_coll_han_reduce_intra: nodes, then the ranks with the root's number on theirs")
    .deviates(
        "low is coll/tuned's number, which Open MPI chooses by size, for a shorter last segment, too; where nodes have "
        "not as many ranks it leaves all to coll/tuned, here to low");

}  // namespace tutti
