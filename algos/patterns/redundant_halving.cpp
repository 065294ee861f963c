#include "algos/patterns/redundant_halving.hpp"

#include <algorithm>
#include <set>

#include "algos/patterns/block_copies.hpp"

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

View around(const Blocks& blocks, const View& buffer, int first, int number) {
  first %= blocks.parts;
  if (number >= blocks.parts) return buffer;
  if (first + number <= blocks.parts) return blocks.of(buffer, first, number);
  const Count end = blocks.first(first + number - blocks.parts);
  return buffer.except(end, blocks.first(first) - end);
}

Task reduce_by_redundant_halving(Comm comm, View in, View to, Blocks blocks, std::vector<int> skips, int kept) {
  const int size = comm.size(), rank = comm.rank();
  const std::vector<std::vector<SumPiece>> steps = sum_pieces(skips);
  std::vector<View> held{in}, arrived;
  std::vector<Op> ops;
  for (std::size_t step = 1; step < steps.size(); ++step) {
    const int away = skips[steps.size() - 1 - step];
    const std::vector<SumPart> parts = arriving_parts(steps[step], kept, size);
    std::vector<View> leaving, arriving;
    arrived.resize(std::max(arrived.size(), held.size()));
    for (const SumPart& part : parts) {
      View& room = arrived[static_cast<std::size_t>(part.piece)];
      if (room.empty()) room = comm.scratch(in.elements());
      arriving.push_back(around(blocks, room, rank + part.from, part.number));
      leaving.push_back(
          around(blocks, held[static_cast<std::size_t>(part.piece)], rank + part.from + away, part.number));
    }
    const Rank above = (rank + away) % size, below = (rank - away + size) % size;
    if (parts.size() == 1) {
      co_await comm.exchange(above, leaving[0], below, arriving[0]);
    } else {
      const View packed = comm.scratch(elements_of(leaving)), come = comm.scratch(elements_of(arriving));
      post_for_runs(ops, leaving, packed, [&](const View& run, const View& part) { return comm.copy(part, run); });
      co_await comm.wait(ops);
      co_await comm.exchange(above, packed, below, come);
      post_for_runs(ops, arriving, come, [&](const View& run, const View& part) { return comm.copy(run, part); });
      co_await comm.wait(ops);
    }
    std::vector<View> sums;
    ops.clear();
    for (const SumPiece& piece : steps[step]) {
      const View own = held[static_cast<std::size_t>(piece.own)];
      if (piece.arrived < 0) {
        sums.push_back(own);
        continue;
      }
      sums.push_back(step + 1 == steps.size() ? to : comm.scratch(in.elements()));
      const int number = std::min(size, piece.to - piece.from + kept - 1), first = rank + piece.from;
      ops.push_back(comm.combine(around(blocks, sums.back(), first, number),
                                 around(blocks, arrived[static_cast<std::size_t>(piece.arrived)], first, number),
                                 around(blocks, own, first, number)));
    }
    co_await comm.wait(ops);
    held = std::move(sums);
  }
}

}  // namespace tutti
