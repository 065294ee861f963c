#include <algorithm>

#include "algos/patterns/all_broadcast.hpp"
#include "algos/patterns/circulant.hpp"

namespace tutti {
namespace {

struct Cut {
  Blocks blocks;
  Count segments;
};

Cut cut(const Facts& facts, const Blocks& blocks) { return {blocks, segments_of_largest(blocks, facts)}; }

Cut cut_blocks(const Facts& facts) { return cut(facts, facts.blocks()); }

Cut cut_split(const Facts& facts) {
  return cut(facts, Blocks::split(static_cast<Count>(facts["c"]), static_cast<int>(facts["p"])));
}

double rounds_when_cut(const Cut& cut) {
  const CirculantPhases phases(circulant_skips(cut.blocks.parts).size() - 1, cut.segments);
  return cut.blocks.total() == 0 ? 0 : static_cast<double>(phases.rounds());
}

/// Whether a segment that is not empty goes to the rank in the round. `roots`: those whose blocks are not empty.
bool has_to_send(const Cut& cut, const std::vector<Rank>& roots, const CirculantSchedules& schedules,
                 const CirculantPhases& phases, Rank to, Count i) {
  const std::size_t of_phase = phases.of_phase(i);
  const Count passed = phases.passed(i);
  return std::any_of(roots.begin(), roots.end(), [&](Rank root) {
    if (root == to) return false;
    const int v = virtual_rank(to, root, cut.blocks.parts);
    const Count number = phases.block_after(passed, schedules.of(v, of_phase));
    return number >= 0 && number < cut.blocks.count(root);
  });
}

/// Beyond that many rounds, which nobody simulates: at most.
double messages_when_cut(const Cut& cut) {
  constexpr double kMostCounted = 1 << 26;
  const int size = cut.blocks.parts;
  const double rounds = rounds_when_cut(cut);
  if (rounds > kMostCounted) return size * rounds;
  // A rank none of whose segments is empty has one to send in every round.
  const auto has_all = [&](Rank rank) { return cut.blocks.count(rank) >= cut.segments; };
  int of_whole = 0;
  for (Rank rank = 0; rank < size; ++rank) of_whole += has_all(rank);
  if (of_whole == size) return size * rounds;
  const std::vector<int> skips = circulant_skips(size);
  const auto schedules = circulant_schedules(size);
  const CirculantPhases phases(skips.size() - 1, cut.segments);
  std::vector<Rank> roots;
  for (Rank rank = 0; rank < size; ++rank)
    if (cut.blocks.count(rank) > 0) roots.push_back(rank);
  double messages = 0;
  for (Rank rank = 0; rank < size; ++rank)
    for (Count i = 0; i < static_cast<Count>(rounds); ++i)
      messages +=
          has_all(rank) || has_to_send(cut, roots, *schedules, phases, (rank + skips[phases.of_phase(i)]) % size, i);
  return messages;
}

}  // namespace

double all_broadcast_rounds(const Facts& facts) { return rounds_when_cut(cut_blocks(facts)); }
double all_broadcast_messages(const Facts& facts) { return messages_when_cut(cut_blocks(facts)); }
double split_all_broadcast_rounds(const Facts& facts) { return rounds_when_cut(cut_split(facts)); }
double split_all_broadcast_messages(const Facts& facts) { return messages_when_cut(cut_split(facts)); }

}  // namespace tutti
