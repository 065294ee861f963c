#pragma once

#include <optional>

#include "algos/named_choice.hpp"
#include "algos/patterns/segments.hpp"
#include "algos/patterns/two_levels.hpp"

namespace tutti {

// What compositions are made of that run any algorithm inside each level of the machine and any between; which, and of
// which levels, are parameters. All ranks are divided by the farthest level that is named, what comes of it by the next
// nearer one, and so on; an algorithm runs among those that lead these parts, and at the end one inside the nearest.

/// What a rank does in such a composition between two divisions: where it leads the part that it is in, it runs an
/// algorithm with the others that lead. Where parts have as many ranks each, the ranks with the root's number lead
/// them. Elsewhere first ranks do, and the one of the root's part stands for the root, if that is another.
struct Stage {
  Comm comm;
  const char* parameter;  // which says the algorithm
  bool takes_part;
  Rank root;                  // in comm; asked of who takes part
  Rank whole_root, stand_in;  // of all ranks: the root of what is divided, and who stands for it here
  Comm whole;                 // what is divided
  std::optional<Level> by;    // which level divides it; not the nearest part
  /// Whether parts, one after the other, have the whole's ranks in their order.
  bool is_in_order() const { return !by || whole.is_consecutive(*by); }
};

/// Which of its mates, ascending, the rank is.
Rank number_among(Rank rank, const std::vector<Rank>& mates);

/// Those that parameters name, from the farthest to the nearest.
std::vector<Level> levels_in(const Call& call);
std::vector<Level> levels_in(const Facts& facts);

/// From the farthest division to what runs inside the nearest part, which is all there is where no level is named.
std::vector<Stage> stages(const Comm& comm, const Call& call);

/// Parts that work on segments one after the other, each a step behind the part before it: what works in a step does so
/// side by side, on segments that follow one another.
struct Pipeline {
  struct Turn {
    std::size_t part;
    Count segment;
  };
  std::size_t parts;
  Count segments;
  Count steps() const { return static_cast<Count>(parts) + segments - 1; }
  std::vector<Turn> turns(Count step) const;
};

/// What runs of a choice (number_of_choice()) in the case, whose collective is the choice's; calls may refer to it.
/// Throws InputError where it cannot run on so many ranks.
const Choice& choice_that_runs(std::int64_t number, Case c);
/// Starts that, and what it takes (as count_choice() says).
Task run_numbered(Comm comm, std::int64_t number, const Call& part);
PartCounts count_numbered(const Facts& whole, std::int64_t number, Case c);

/// Starts the algorithm that is the value of the call's parameter, or what it falls back to. Throws InputError where it
/// cannot run on so many ranks.
Task run_choice(Comm comm, const char* parameter, const Call& whole, const Call& part);
inline Task run_choice(const Stage& stage, const Call& whole, const Call& part) {
  return run_choice(stage.comm, stage.parameter, whole, part);
}

/// What such a part takes: rounds are a bound from above, those through as many ports as it has one after the other.
PartCounts count_choice(const Facts& whole, const char* parameter, int ranks, Count count = 0, Rank root = 0);
/// The same of a case whose blocks may have counts of their own; its collective is the choice's.
PartCounts count_choice(const Facts& whole, const char* parameter, Case c);
/// On all nodes side by side; from or to the ranks that lead there.
PartCounts count_on_nodes(const Facts& whole, const char* parameter, Count count = 0, Rank leader = 0);

/// How many run a stage together, from or to which of them, and for how many ranks they stand.
struct StageGroup {
  int ranks;
  Rank root;
  int whole;
  std::vector<int> sizes = {};  // of the parts that they lead, where these differ
  friend auto operator<=>(const StageGroup&, const StageGroup&) = default;
};
/// The same stage on all ranks, and how many such groups there are.
struct StageShape {
  const char* parameter;
  std::map<StageGroup, int> groups;
  int handed_over = 0;  // between roots and who stands for them
};
std::vector<StageShape> stage_shapes(const Facts& facts);
/// The sum over a stage's groups, side by side, of what `count_one(group)` gives.
template <class CountOne>
PartCounts over_groups(const StageShape& stage, CountOne count_one) {
  PartCounts all;
  for (const auto& [group, times] : stage.groups) all = side_by_side(all, on_each(times, count_one(group)));
  return all;
}
/// What runs there may be another parameter's.
PartCounts count_stage(const Facts& whole, const StageShape& stage, const char* parameter, Count count = 0);
/// All stages for each of the segments, and what is handed over.
PartCounts count_rooted_stages(const Facts& facts);
/// All stages, and then for all but the first what `down` says, back from who leads to the others.
PartCounts count_stages_up_and_down(const Facts& facts, Count count = 0);
PartCounts count_segments_up_and_down(const Facts& facts);  // for each of the segments

/// Of rounds nothing is told from below: who is ready first goes on.
inline double no_rounds(const Facts&) { return 0; }

}  // namespace tutti
