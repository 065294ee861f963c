#include "algos/patterns/swing.hpp"

#include <algorithm>
#include <map>

#include "algos/patterns/bine.hpp"

namespace tutti {
namespace {

/// Even lengths as equal as they can be, the longest first, and 1 for what is left; fewer dimensions where there are
/// none of so many.
std::vector<int> torus_lengths(int size, int dimensions) {
  if (dimensions == 1 || size % 4 != 0) {
    std::vector<int> line(static_cast<std::size_t>(dimensions), 1);
    line.front() = size;
    return line;
  }
  std::vector<int> best;
  for (int last = 2; last * last <= size; last += 2) {
    if (size % last != 0 || size / last % 2 != 0) continue;
    std::vector<int> lengths = torus_lengths(size / last, dimensions - 1);
    if (lengths.back() == 1)
      lengths.back() = last;  // one dimension fewer is as good as it gets
    else
      lengths.push_back(last);
    lengths.resize(static_cast<std::size_t>(dimensions), 1);
    std::sort(lengths.rbegin(), lengths.rend());
    if (best.empty() || lengths < best) best = lengths;
  }
  return best;
}

/// A step of one rank: along which dimension, for the how many-eth time.
struct Turn {
  int length, distance;  // `distance`: between the rank numbers of neighbours in it
  int at;                // the rank's place, seen from the other side where the part is mirrored
  int turn;
};

std::vector<Turn> turns_of(int size, Rank rank, int dimensions, SwingPart part) {
  std::vector<Turn> torus, turns;
  int distance = 1, most = 0;
  for (const int length : torus_lengths(size, dimensions)) {
    const int at = rank / distance % length;
    torus.push_back({length, distance, part.mirrored ? (length - at) % length : at, 0});
    distance *= length;
    most = std::max(most, bine_steps(length));
  }
  for (int turn = 0; turn < most; ++turn)
    for (int i = 0; i < dimensions; ++i) {
      Turn next = torus[(part.first_dimension + i) % dimensions];
      next.turn = turn;
      if (turn < bine_steps(next.length)) turns.push_back(next);
    }
  return turns;
}

/// The rank that is at another place in the turn's dimension; both places as the part sees them.
Rank rank_there(Rank rank, const Turn& turn, int there, bool mirrored) {
  const auto real = [&](int place) { return mirrored ? (turn.length - place) % turn.length : place; };
  return rank + (real(there) - real(turn.at)) * turn.distance;
}

}  // namespace

std::vector<SwingStep> swing_steps(int size, Rank rank, int dimensions, SwingPart part) {
  std::vector<SwingStep> steps;
  for (const Turn& turn : turns_of(size, rank, dimensions, part))
    steps.push_back({rank_there(rank, turn, bine_peer(turn.at, turn.turn, turn.length), part.mirrored),
                     (bine_number(turn.at, turn.length) & turn.length >> (turn.turn + 1)) != 0});
  return steps;
}

std::vector<std::vector<SwingExchange>> swing_exchanges(int size, Rank rank, int dimensions, int parts,
                                                        const View& vector, const View& inbox) {
  const Blocks cut = Blocks::split(vector.elements(), parts);
  std::vector<std::vector<SwingExchange>> exchanges;  // by part and step
  for (int part = 0; part < parts; ++part) {
    View window = cut.of(vector, part);
    exchanges.emplace_back();
    for (const SwingStep& step : swing_steps(size, rank, dimensions, {part % dimensions, part >= dimensions})) {
      const Blocks two = Blocks::split(window.elements(), 2);
      const View kept = two.of(window, step.keeps_upper);
      exchanges.back().push_back(
          {step.peer, kept, two.of(window, !step.keeps_upper), inbox.slice(cut.first(part), kept.elements())});
      window = kept;
    }
  }
  return exchanges;
}

namespace {

/// Of a dimension so long: the places that come in each of its turns, seen from the rank's own, which is 0.
using Arrivals = std::vector<std::vector<Rank>>;
Arrivals arrivals_in(int length) {
  Arrivals arrivals(static_cast<std::size_t>(bine_steps(length)));
  const std::vector<std::int8_t>& turn_of = bine_arrivals(length, BineOrder::far_first);
  for (Rank x = 1; x < length; ++x) arrivals[turn_of[x]].push_back(x);
  return arrivals;
}

/// What the rank has not yet, in an allgather by the turns backwards, when this turn comes: the places along the turn's
/// own dimension of what comes then, and along the others of what has come before. `arrivals`: by length.
std::vector<Rank> new_at(Rank rank, const std::vector<Turn>& turns, std::size_t now, bool mirrored,
                         const std::map<int, Arrivals>& arrivals) {
  std::vector<Rank> blocks{rank};
  std::vector<int> done;  // distances of dimensions
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const Turn& along = turns[i];
    if (std::find(done.begin(), done.end(), along.distance) != done.end()) continue;
    done.push_back(along.distance);
    // Of this dimension, the earliest turn that has been by now: all that come with it and the later ones.
    int earliest = bine_steps(along.length);
    for (std::size_t t = now; t < turns.size(); ++t)
      if (turns[t].distance == along.distance) earliest = std::min(earliest, turns[t].turn);
    const bool own = turns[now].distance == along.distance;
    const Arrivals& there = arrivals.at(along.length);
    std::vector<Rank> more;
    if (!own) more = blocks;
    for (const Rank block : blocks)
      for (int turn = earliest; turn < (own ? earliest + 1 : bine_steps(along.length)); ++turn)
        for (const Rank x : there[turn])
          more.push_back(rank_there(block, along, bine_block(along.at, x, along.length), mirrored));
    blocks = std::move(more);
  }
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

std::vector<BlockRun> runs_of(const std::vector<Rank>& blocks) {
  std::vector<BlockRun> runs;
  for (const Rank block : blocks)
    if (!runs.empty() && runs.back().first + runs.back().blocks == block)
      ++runs.back().blocks;
    else
      runs.push_back({block, 1});
  return runs;
}

}  // namespace

std::vector<SwingBlocks> swing_blocks(int size, Rank rank, int dimensions, SwingPart part) {
  const std::vector<Turn> turns = turns_of(size, rank, dimensions, part);
  std::map<int, Arrivals> arrivals;
  for (const Turn& turn : turns)
    if (!arrivals.contains(turn.length)) arrivals[turn.length] = arrivals_in(turn.length);
  std::vector<SwingBlocks> steps;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const Turn& turn = turns[i];
    const Rank peer = rank_there(rank, turn, bine_peer(turn.at, turn.turn, turn.length), part.mirrored);
    const std::vector<Turn> of_peer = turns_of(size, peer, dimensions, part);
    steps.push_back({peer, runs_of(new_at(rank, turns, i, part.mirrored, arrivals)),
                     runs_of(new_at(peer, of_peer, i, part.mirrored, arrivals))});
  }
  return steps;
}

int swing_step_count(int size, int dimensions) {
  int steps = 0;
  for (const int length : torus_lengths(size, dimensions)) steps += bine_steps(length);
  return steps;
}

}  // namespace tutti
