#include "algos/patterns/libnbc.hpp"
#include "algos/patterns/segments.hpp"
#include "algos/patterns/two_levels.hpp"

namespace tutti {

Task allreduce_han(Comm comm, Call call) {
  if (call.in.empty()) co_return;
  const Comm node = comm.group(Level::node), leaders = comm.leaders(Level::node);
  const bool leads = leaders.is_member();
  const Segments own(call.in, call), result(call.out, call);
  const Count count = own.count();
  // A segment is reduced on nodes, then between them, broadcast between them, then on nodes: one step after the other.
  for (Count step = 0; step < count + 3; ++step) {
    const auto has = [&](Count segment) { return segment >= 0 && segment < count; };
    Task bcast, reduce;
    if (leads && has(step - 2)) bcast = libnbc_bcast(leaders, bcast_part(call, result[step - 2], 0));
    if (leads && has(step - 1))
      reduce = libnbc_reduce(leaders, reduce_part(call, result[step - 1], result[step - 1], leaders.rank() == 0, 0));
    if (has(step)) co_await run_reduce(node, call, "reduce", own[step], result[step], leads, 0);
    if (has(step - 3)) co_await run_bcast(node, call, "bcast", result[step - 3], 0);
    if (bcast) co_await bcast;
    if (reduce) co_await reduce;
  }
}

namespace {
PartCounts on_nodes_alone(const Facts& facts, Count elements) {
  return on_nodes(node_sizes(facts), [&](int ranks) {
    return count_part(facts, Collective::reduce, "reduce", ranks, elements) +
           count_part(facts, Collective::bcast, "bcast", ranks, elements);
  });
}
PartCounts both_levels(const Facts& facts, Count elements) {
  return on_nodes_alone(facts, elements) + count_libnbc_reduce(facts, Spread(facts).nodes, elements, 0) +
         count_libnbc_bcast(facts, Spread(facts).nodes, elements);
}
constexpr const char* kCounted =
    "for each segment those of both on nodes, and of non-blocking ones between first ranks";
}  // namespace

TUTTI_ALGORITHM(allreduce, "han", allreduce_han)
    .by_node()
    .commutative()
    .parameter("reduce", 5, 1, 7)
    .tried({1})
    .parameter("bcast", 6, 1, 8)
    .tried({1})
    .parameter("segment", 65536, 0)
    .tried({524288})
    .rounds_between(rounds_of_last_segment<on_nodes_alone>, rounds_of<of_all_segments<both_levels>>,
                    "those of the largest node for a segment, at most those of all parts")
    .messages(messages_of<of_all_segments<both_levels>>, kCounted)
    .bytes(bytes_of<of_all_segments<both_levels>>, kCounted)
    .cite("Open MPI 5.0, coll/han, mca_coll_han_allreduce_intra: four steps, each for another segment at a time")
    .deviates(
        "reduce and bcast are coll/tuned's numbers, which Open MPI chooses by size, for a shorter last segment, too");

}  // namespace tutti
