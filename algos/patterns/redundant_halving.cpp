#include "algos/patterns/redundant_halving.hpp"

#include <algorithm>
#include <set>

#include "algos/patterns/block_copies.hpp"
#include "algos/patterns/circulant_halving.hpp"

namespace tutti {
namespace {

/// Pieces follow one another from 0 on; -1: behind the last.
int piece_at(const std::vector<SumPiece>& pieces, int distance) {
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (distance < pieces[i].to) return static_cast<int>(i);
  return -1;
}

}  // namespace

std::vector<std::vector<SumPiece>> sum_pieces(const std::vector<int>& skips) {
  std::vector<std::vector<SumPiece>> steps{{{0, skips.back()}}};
  for (std::size_t k = skips.size() - 1; k-- > 0;) {
    const std::vector<SumPiece>& before = steps.back();
    std::set<int> bounds{0, skips[k]};
    for (const SumPiece& piece : before)
      for (const int bound : {piece.to, piece.to - skips[k]})
        if (bound > 0 && bound < skips[k]) bounds.insert(bound);
    std::vector<SumPiece> pieces;
    for (auto from = bounds.begin(), to = std::next(from); to != bounds.end(); from = to++)
      pieces.push_back({*from, *to, piece_at(before, *from), piece_at(before, *from + skips[k])});
    steps.push_back(std::move(pieces));
  }
  return steps;
}

std::vector<SumPart> arriving_parts(const std::vector<SumPiece>& pieces, int kept, int ranks) {
  std::vector<SumPart> parts;
  for (const SumPiece& piece : pieces) {
    if (piece.arrived < 0) continue;
    if (parts.empty() || parts.back().piece != piece.arrived) parts.push_back({piece.arrived, piece.from, 0});
    parts.back().number = std::min(ranks, piece.to - parts.back().from + kept - 1);
  }
  return parts;
}

namespace {

/// Blocks of so many ranks, counted around the end.
struct SumRange {
  int from, number;
};

/// Scratch memory for sums, as long as the vector each, of which one holds several that have no block in common.
class SumRooms {
 public:
  SumRooms(const Comm& comm, Count elements) : comm_(comm), elements_(elements) {}

  void empty() {
    for (Room& room : rooms_) room.taken.clear();
  }
  /// Where it is one of them.
  void note(const View& where, SumRange range) {
    for (Room& room : rooms_)
      if (room.where == where) room.taken.push_back(range);
  }
  View take(SumRange range) {
    auto room = std::find_if(rooms_.begin(), rooms_.end(), [&](const Room& one) {
      return std::none_of(one.taken.begin(), one.taken.end(), [&](SumRange other) { return meet(range, other); });
    });
    if (room == rooms_.end()) room = rooms_.insert(room, Room{comm_.scratch(elements_), {}});
    room->taken.push_back(range);
    return room->where;
  }
  bool meet(SumRange a, SumRange b) const {
    const int size = comm_.size(), away = (b.from - a.from + size) % size;
    return away < a.number || size - away < b.number;
  }

 private:
  struct Room {
    View where;
    std::vector<SumRange> taken;
  };
  Comm comm_;
  Count elements_;
  std::vector<Room> rooms_;
};

/// The blocks of a piece where each rank is to have the sums of `kept`.
SumRange range_of(const SumPiece& piece, int kept, int size) {
  return {piece.from, std::min(size, piece.to - piece.from + kept - 1)};
}

/// Where a step's sums go: one that is added to blocks that no other is made of goes where they are.
std::vector<View> places_of_sums(const std::vector<SumPiece>& pieces, const std::vector<View>& held, const View& in,
                                 int kept, int size, SumRooms& rooms) {
  const auto own = [&](const SumPiece& piece) { return held[piece.own]; };
  rooms.empty();
  for (const SumPiece& piece : pieces) rooms.note(own(piece), range_of(piece, kept, size));
  std::vector<View> sums;
  for (const SumPiece& piece : pieces) {
    const SumRange range = range_of(piece, kept, size);
    const bool is_needed = std::any_of(pieces.begin(), pieces.end(), [&](const SumPiece& other) {
      return &other != &piece && own(other) == own(piece) && rooms.meet(range, range_of(other, kept, size));
    });
    sums.push_back(piece.arrived < 0 || (!is_needed && own(piece) != in) ? own(piece) : rooms.take(range));
  }
  return sums;
}

/// The first so many elements of memory that grows where it is too short.
View front_of(const Comm& comm, View& memory, Count elements) {
  if (memory.elements() < elements) memory = comm.scratch(elements);
  return memory.slice(0, elements);
}

}  // namespace

Task reduce_by_redundant_halving(Comm comm, View in, View to, Blocks blocks, std::vector<int> skips, int kept) {
  const int size = comm.size(), rank = comm.rank();
  const std::vector<std::vector<SumPiece>> steps = sum_pieces(skips);
  std::vector<View> held{in};
  SumRooms rooms(comm, in.elements()), rooms_of_others(comm, in.elements());
  View packed, come;
  std::vector<Op> ops;
  for (std::size_t step = 1; step < steps.size(); ++step) {
    const int away = skips[steps.size() - 1 - step];
    const std::vector<SumPart> parts = arriving_parts(steps[step], kept, size);
    std::vector<View> leaving, arriving, arrived(held.size());
    rooms_of_others.empty();
    for (const SumPart& part : parts) {
      View& room = arrived[part.piece];
      room = rooms_of_others.take({part.from, part.number});
      arriving.push_back(around(blocks, room, rank + part.from, part.number));
      leaving.push_back(around(blocks, held[part.piece], rank + part.from + away, part.number));
    }
    const Rank above = (rank + away) % size, below = (rank - away + size) % size;
    if (parts.size() == 1) {
      co_await comm.exchange(above, leaving[0], below, arriving[0]);
    } else {
      const View sent = front_of(comm, packed, elements_of(leaving)),
                 received = front_of(comm, come, elements_of(arriving));
      post_for_runs(ops, leaving, sent, [&](const View& run, const View& part) { return comm.copy(part, run); });
      co_await comm.wait(ops);
      co_await comm.exchange(above, sent, below, received);
      post_for_runs(ops, arriving, received, [&](const View& run, const View& part) { return comm.copy(run, part); });
      co_await comm.wait(ops);
    }
    std::vector<View> sums(1, to);
    if (step + 1 < steps.size()) sums = places_of_sums(steps[step], held, in, kept, size, rooms);
    ops.clear();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const SumPiece& piece = steps[step][i];
      if (piece.arrived < 0) continue;
      const int number = range_of(piece, kept, size).number, first = rank + piece.from;
      ops.push_back(comm.combine(around(blocks, sums[i], first, number),
                                 around(blocks, arrived[piece.arrived], first, number),
                                 around(blocks, held[piece.own], first, number)));
    }
    co_await comm.wait(ops);
    held = std::move(sums);
  }
}

}  // namespace tutti
