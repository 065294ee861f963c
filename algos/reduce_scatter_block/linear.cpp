#include "algos/patterns/by_way_of_first.hpp"

namespace tutti {
namespace {

Task reduce_scatter_block_linear(Comm comm, Call call) {
  if (call.in.empty()) co_return;
  const int size = comm.size();
  const bool is_first = comm.rank() == 0;
  const View sum = is_first ? comm.scratch(call.in.elements()) : call.in.slice(0, 0);
  co_await run_reduce_to_first(comm, call, sum);
  co_await run_part(comm, Collective::scatter, call.parameter("scatter"),
                    scatter_part(call, sum, call.out, size, is_first, 0));
}

PartCounts counts(const Facts& facts) {
  const auto count = static_cast<Count>(facts["c"]);
  if (count == 0) return {};
  const auto ranks = static_cast<int>(facts["p"]);
  return count_reduce_to_first(facts, ranks * count) + count_part(facts, Collective::scatter, "scatter", ranks, count);
}

}  // namespace

TUTTI_ALGORITHM(reduce_scatter_block, "linear", reduce_scatter_block_linear)
    .parameter("reduce", 5, 1, 7)
    .tried({7})
    .parameter("scatter", 2, 1, 3)
    .tried({3})
    .rounds(rounds_of<counts>, "those of the reduction and of the scatter")
    .messages(messages_of<counts>, "those of the reduction and of the scatter")
    .bytes(bytes_of<counts>, "those of the reduction and of the scatter")
    .cite("Open MPI, coll/base: reduction to rank 0, then scatter")
    .deviates(
        "reduce and scatter are coll/tuned's numbers, which Open MPI chooses by size; where the operator does not "
        "commute and the reduction needs that, it is the linear one");

}  // namespace tutti
