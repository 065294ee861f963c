#pragma once

#include <algorithm>
#include <vector>

#include "algos/patterns/node_places.hpp"
#include "algos/patterns/parts.hpp"

namespace tutti {

/// A rank's communicators in a composition of two levels, as Open MPI's coll/han makes them: its node, and across nodes
/// the ranks that have its number on theirs. Of those, the root's peers lead. Nodes have as many ranks each.
struct TwoLevels {
  TwoLevels(const Comm& comm, Rank root);

  Comm node, across;
  Rank root_number;       // on its node, and so who leads on every node
  Rank root_across = -1;  // among those who lead; asked of them alone
  bool leads;
};

/// Elements of blocks that rank r of all has at `place_of(r)` when nodes' blocks follow one another.
class NodeOrder {
 public:
  NodeOrder(const Comm& comm, const TwoLevels& levels) : comm_(comm), levels_(levels) {}
  /// Which block of those is rank r's; asked of who leads.
  int place_of(Rank r) const;

 private:
  const Comm& comm_;
  const TwoLevels& levels_;
};

/// For counting: how the ranks are spread.
struct Spread {
  explicit Spread(const Facts& facts);
  int nodes, ppn;                     // ppn: of the first node
  bool equal;                         // all have as many
  Rank root_number, root_across = 0;  // as in TwoLevels
};

/// What the algorithm takes whose number the parameter says: on each node, from or to its leader; and between nodes,
/// from or to the root.
PartCounts count_low(const Facts& facts, const Spread& spread, Collective collective, const char* parameter,
                     Count count);
PartCounts count_up(const Facts& facts, const Spread& spread, Collective collective, const char* parameter,
                    Count count);

/// Elements of the segments that a vector is cut into: all but the last have as many.
struct SegmentCounts {
  SegmentCounts(const Facts& facts, Count elements);
  Count number, each, last;
  Count of(Count i) const { return i + 1 < number ? each : last; }
};

/// The sum over segments of what `count(elements)` gives.
template <class CountOne>
PartCounts over_segments(const SegmentCounts& segments, CountOne count_one) {
  const PartCounts each = segments.number > 1 ? count_one(segments.each) : PartCounts{},
                   last = count_one(segments.last);
  const auto before = static_cast<double>(segments.number - 1);
  return {before * each.rounds + last.rounds, before * each.messages + last.messages, before * each.bytes + last.bytes};
}

/// For registering an algorithm that does with each segment what `of_segment` counts: all of that, and the rounds of
/// the last segment alone, which are the fewest. Nothing where there are no elements.
template <PartCounts (*of_segment)(const Facts&, Count)>
PartCounts of_all_segments(const Facts& facts) {
  const auto count = static_cast<Count>(facts["c"]);
  if (count == 0) return {};
  return over_segments(SegmentCounts(facts, count), [&](Count elements) { return of_segment(facts, elements); });
}
/// How many elements the first segment has, and what all the later ones take.
inline Count first_segment(const Facts& facts) { return SegmentCounts(facts, static_cast<Count>(facts["c"])).of(0); }
template <PartCounts (*of_segment)(const Facts&, Count)>
PartCounts of_later_segments(const Facts& facts);
template <PartCounts (*of_segment)(const Facts&, Count)>
double rounds_of_last_segment(const Facts& facts) {
  const auto count = static_cast<Count>(facts["c"]);
  return count == 0 ? 0 : of_segment(facts, SegmentCounts(facts, count).last).rounds;
}

inline PartCounts operator-(const PartCounts& a, const PartCounts& b) {
  return {a.rounds - b.rounds, a.messages - b.messages, a.bytes - b.bytes};
}
template <PartCounts (*of_segment)(const Facts&, Count)>
PartCounts of_later_segments(const Facts& facts) {
  return of_all_segments<of_segment>(facts) - of_segment(facts, first_segment(facts));
}
inline PartCounts on_each(int groups, const PartCounts& part) {
  return {part.rounds, groups * part.messages, groups * part.bytes};
}
/// The sum over nodes, which may differ in size, of what `count(ranks)` gives; rounds are those of the one that takes
/// most.
template <class CountOne>
PartCounts on_nodes(const std::vector<int>& sizes, CountOne count_one) {
  PartCounts all;
  for (const int size : sizes) all = side_by_side(all, count_one(size));
  return all;
}

}  // namespace tutti
