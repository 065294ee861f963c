#include "algos/patterns/bcube.hpp"
#include "algos/patterns/parts.hpp"
#include "algos/patterns/uneven_groups.hpp"
#include "algos/registry.hpp"

namespace tutti {

/// Each group's holders reduce a part of the vector each, reduce it further with those of the same part in other
/// groups, and give it to all of the group.
Task allreduce_bcube_uneven(Comm comm, Call call) {
  const UnevenGroups uneven(comm.size(), call.parameter("radix"));
  const int group = uneven.groups.holding(comm.rank()), number = comm.rank() - uneven.first(group);
  co_await comm.wait(comm.copy(call.out, call.in));
  co_await reduce_to_holders(comm, uneven, call.out);
  const bool holds = number < uneven.holders;
  const View mine =
      holds ? Blocks::split(call.out.elements(), uneven.holders).of(call.out, number) : call.out.slice(0, 0);
  const auto of_that_part = [&](int other) { return uneven.first(other) + number; };
  const Row alone{1, 0, of_that_part}, row{uneven.groups.parts, group, of_that_part};
  co_await reduce_in_digits(comm, holds ? row : alone, mine, call.parameter("radix"));
  co_await collect_from_holders(comm, uneven, call.out);
}

namespace {

PartCounts uneven_counts(const Facts& f) {
  const UnevenGroups uneven(static_cast<int>(f["p"]), static_cast<std::int64_t>(f["radix"]));
  const double met = met_in_digits(uneven.groups.parts, static_cast<std::int64_t>(f["radix"])),
               others = f["p"] - uneven.groups.parts;
  return {2 * (uneven.members(0) - 1 + met), 2 * (uneven.holders * others + uneven.smooth * met),
          2 * (f["p"] - 1) * f["n"]};
}

}  // namespace

TUTTI_ALGORITHM(allreduce, "bcube_uneven", allreduce_bcube_uneven)
    .parameter("radix", 4, 2)
    .fallback("smooth(p,radix) == p", "bcube")
    .rounds(rounds_of<uneven_counts>,
            "those of bcube on P = smooth(p,radix) ranks, and 2*ceil((p-P)*f/P), f its first factor")
    .messages(messages_of<uneven_counts>,
              "those of bcube on P = smooth(p,radix) ranks, and 2*(p-P)*f, f its first factor")
    .bytes(bytes_of<uneven_counts>, "2*(p-1)*n")
    .cite(
        "Gloo, allreduce_bcube.h; groups of one rank more as in the 3-2 elimination of Rabenseifner, Traeff: More "
        "Efficient Reduction Algorithms for Non-Power-of-Two Number of Processors, EuroPVM/MPI 2004")
    .deviates("as bcube; ranks that are too many for factors up to radix join groups of the first factor");

}  // namespace tutti
