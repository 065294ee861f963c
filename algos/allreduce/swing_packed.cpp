#include "algos/patterns/swing_packed.hpp"

#include "algos/patterns/bine.hpp"

namespace tutti {

Task allreduce_swing_packed(Comm comm, Call call) {
  const int dimensions = static_cast<int>(call.parameter("dimensions"));
  const SwingParts parts{dimensions, call.parameter("both_ways") == 1 ? 2 * dimensions : 1};
  co_await comm.wait(comm.copy(call.out, call.in));
  if (comm.size() == 1) co_return;
  const View from_last = comm.scratch(comm.size() % 2 == 0 ? 0 : call.out.elements());

  Task added = exchange_with_last(comm, call.out, from_last, parts.parts, true);
  co_await swing_phase(comm, call.out, parts, true);
  co_await added;
  co_await add_from_last(comm, call.out, from_last, parts.parts);

  Task gathered = exchange_with_last(comm, call.out, call.out, parts.parts, false);
  co_await swing_phase(comm, call.out, parts, false);
  co_await gathered;
}

namespace {

double steps_of_swing(const Facts& facts) {
  return swing_step_count(bine_core(static_cast<int>(facts["p"])), static_cast<int>(facts["dimensions"]));
}

/// Of an odd number the last rank meets all others one by one, twice.
bool has_last(const Facts& facts) { return facts["p"] > 1 && facts["p"] != bine_core(static_cast<int>(facts["p"])); }
double least_swing_rounds(const Facts& facts) {
  return has_last(facts) ? 2 * (facts["p"] - 1) : 2 * steps_of_swing(facts);
}
double most_swing_rounds(const Facts& facts) {
  return least_swing_rounds(facts) + (has_last(facts) ? 2 * steps_of_swing(facts) - 1 : 0);
}
double swing_messages(const Facts& facts) {
  const auto p = static_cast<int>(facts["p"]);
  const double parts = facts["both_ways"] == 1 ? 2 * facts["dimensions"] : 1;
  return 2 * parts * (bine_core(p) * steps_of_swing(facts) + (bine_core(p) == p ? 0 : 2 * (p - 1)));
}

}  // namespace

TUTTI_ALGORITHM(allreduce, "swing_packed", allreduce_swing_packed)
    .parameter("dimensions", 1, 1, 3)
    .parameter("both_ways", 0, 0, 1)
    .ports("both_ways == 1 ? 2*dimensions : 1")
    .commutative()
    .rounds_between(least_swing_rounds, most_swing_rounds,
                    "2*ceil(log2(d)) for each dimension d; for odd p at least 2*(p-1)")
    .messages(swing_messages,
              "two for each step of each part and rank; for odd p two with the last one for each part, twice")
    .bytes("2*(p-1)*n")
    .cite("De Sensi et al.: Swing: Short-cutting Rings for Higher Bandwidth Allreduce, NSDI 2024 (arXiv 2401.09356)")
    .deviates("blocks are packed, where there is a datatype; odd p was not compared with the paper's code");

}  // namespace tutti
