#include <algorithm>

#include "algos/patterns/all_broadcast.hpp"
#include "algos/patterns/circulant.hpp"

namespace tutti {
namespace {

struct Cut {
  std::vector<Count> counts;  // elements of each rank's block
  Count segments, largest;
};

Cut cut(const Facts& facts, std::vector<Count> counts) {
  Call call;
  call.element_bytes = static_cast<std::int32_t>(facts["e"]);
  const Count largest = *std::max_element(counts.begin(), counts.end()),
              each = call.elements_of(static_cast<std::int64_t>(facts["segment"]), largest);
  return {std::move(counts), std::max<Count>(1, (largest + each - 1) / each), largest};
}

Cut cut_blocks(const Facts& facts) {
  std::vector<Count> counts(static_cast<std::size_t>(facts["p"]));
  for (std::size_t rank = 0; rank < counts.size(); ++rank) counts[rank] = facts.count_of(static_cast<Rank>(rank));
  return cut(facts, std::move(counts));
}

Cut cut_split(const Facts& facts) {
  const int size = static_cast<int>(facts["p"]);
  const Blocks blocks = Blocks::split(static_cast<Count>(facts["c"]), size);
  std::vector<Count> counts(static_cast<std::size_t>(size));
  for (Rank rank = 0; rank < size; ++rank) counts[static_cast<std::size_t>(rank)] = blocks.count(rank);
  return cut(facts, std::move(counts));
}

double rounds_when_cut(const Cut& cut) {
  const CirculantPhases phases(circulant_skips(static_cast<int>(cut.counts.size())).size() - 1, cut.segments);
  return cut.largest == 0 ? 0 : static_cast<double>(phases.rounds());
}

/// Whether a segment that is not empty goes to the rank in the round.
bool has_to_send(const Cut& cut, const CirculantSchedules& schedules, const CirculantPhases& phases, Rank to, Count i) {
  const int size = static_cast<int>(cut.counts.size());
  for (Rank root = 0; root < size; ++root) {
    if (root == to) continue;
    const Count number = phases.block(i, schedules.of(virtual_rank(to, root, size), phases.of_phase(i)));
    if (number >= 0 && number < cut.counts[static_cast<std::size_t>(root)]) return true;
  }
  return false;
}

double messages_when_cut(const Cut& cut) {
  const int size = static_cast<int>(cut.counts.size());
  const double rounds = rounds_when_cut(cut);
  // A rank none of whose segments is empty has one to send in every round.
  const auto has_all = [&](Count count) { return count >= cut.segments; };
  if (std::all_of(cut.counts.begin(), cut.counts.end(), has_all)) return size * rounds;
  const std::vector<int> skips = circulant_skips(size);
  const auto schedules = circulant_schedules(size);
  const CirculantPhases phases(skips.size() - 1, cut.segments);
  double messages = 0;
  for (Rank rank = 0; rank < size; ++rank)
    for (Count i = 0; i < static_cast<Count>(rounds); ++i)
      messages += has_all(cut.counts[static_cast<std::size_t>(rank)]) ||
                  has_to_send(cut, *schedules, phases, (rank + skips[phases.of_phase(i)]) % size, i);
  return messages;
}

}  // namespace

double all_broadcast_rounds(const Facts& facts) { return rounds_when_cut(cut_blocks(facts)); }
double all_broadcast_messages(const Facts& facts) { return messages_when_cut(cut_blocks(facts)); }
double split_all_broadcast_rounds(const Facts& facts) { return rounds_when_cut(cut_split(facts)); }
double split_all_broadcast_messages(const Facts& facts) { return messages_when_cut(cut_split(facts)); }

}  // namespace tutti
