#pragma once

#include <algorithm>

#include "algos/registry.hpp"

namespace tutti {

// The parts of a composition that runs Open MPI's algorithms on groups of ranks, each named by its number in coll/tuned
// ("5.0") and with nothing else set: no segments, a fan-out of 1.

/// The part's call on a rank of a group. Views of other ranks than those named are left out: `out` of a reduction or
/// gather away from its root, `in` of a scatter.
Call bcast_part(const Call& whole, const View& what, Rank root);
Call reduce_part(const Call& whole, const View& in, const View& out, bool is_root, Rank root);
Call allreduce_part(const Call& whole, const View& in, const View& out);
Call gather_part(const Call& whole, const View& in, const View& out, int ranks, bool is_root, Rank root);
Call allgather_part(const Call& whole, const View& in, const View& out, int ranks);
Call alltoall_part(const Call& whole, const View& in, const View& out, int ranks);
Call reduce_scatter_part(const Call& whole, const View& in, const View& out, int ranks);
Call scatter_part(const Call& whole, const View& in, const View& out, int ranks, bool is_root, Rank root);

/// Starts the part's algorithm, or what that falls back to. Throws InputError where Open MPI has none of this number or
/// it cannot run on so many ranks.
Task run_part(Comm comm, Collective collective, std::int64_t number, const Call& call);

/// The part whose number the whole's parameter says.
inline Task run_bcast(Comm comm, const Call& whole, const char* parameter, const View& what, Rank root) {
  return run_part(comm, Collective::bcast, whole.parameter(parameter), bcast_part(whole, what, root));
}
inline Task run_reduce(Comm comm, const Call& whole, const char* parameter, const View& in, const View& out,
                       bool is_root, Rank root) {
  return run_part(comm, Collective::reduce, whole.parameter(parameter), reduce_part(whole, in, out, is_root, root));
}

/// The number of the reduction that runs where one is asked for: the linear one where the operator does not commute and
/// the one asked for needs that.
std::int64_t reduce_number(std::int64_t asked, bool commutative);

/// What such a part takes, by the metadata of the algorithm that runs: exactly, when all of its ranks begin together.
struct PartCounts {
  double rounds = 0, messages = 0, bytes = 0;
};
/// Parts one after the other.
inline PartCounts operator+(const PartCounts& a, const PartCounts& b) {
  return {a.rounds + b.rounds, a.messages + b.messages, a.bytes + b.bytes};
}
/// Parts beside each other: rounds are those of the one that takes most.
inline PartCounts side_by_side(const PartCounts& a, const PartCounts& b) {
  return {std::max(a.rounds, b.rounds), a.messages + b.messages, a.bytes + b.bytes};
}
using PartCounter = PartCounts (*)(const Facts&);
/// While one lives, what a function counts of the facts is counted once, whichever of the three is asked for: on its
/// thread, by who asks for several of them. The facts outlive it.
class CountedOnce {
 public:
  explicit CountedOnce(const Facts& facts);
  ~CountedOnce();
  CountedOnce(const CountedOnce&) = delete;
  CountedOnce& operator=(const CountedOnce&) = delete;

 private:
  friend PartCounts counted(PartCounter counts, const Facts& facts);
  const Facts& facts_;
  CountedOnce* const around_;
  PartCounter counter_ = nullptr;
  PartCounts counts_;
};
PartCounts counted(PartCounter counts, const Facts& facts);
/// For registering an algorithm whose `counts` say all three.
template <PartCounter counts>
double rounds_of(const Facts& facts) {
  return counted(counts, facts).rounds;
}
template <PartCounter counts>
double messages_of(const Facts& facts) {
  return counted(counts, facts).messages;
}
template <PartCounter counts>
double bytes_of(const Facts& facts) {
  return counted(counts, facts).bytes;
}
/// `count` as in Case; operator and elements are those of the whole.
PartCounts count_part(const Facts& whole, Collective collective, std::int64_t number, int ranks, Count count,
                      Rank root = 0);
/// Of the number that the parameter says.
PartCounts count_part(const Facts& whole, Collective collective, const char* parameter, int ranks, Count count,
                      Rank root = 0);
/// As if there were no nodes: one such part on all ranks, in place of all parts.
PartCounts count_flat(const Facts& whole, Collective collective, const char* parameter);

}  // namespace tutti
