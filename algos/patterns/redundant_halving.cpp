#include "algos/patterns/redundant_halving.hpp"

#include <algorithm>
#include <set>

namespace tutti {
namespace {

int piece_at(const std::vector<SumPiece>& pieces, int distance) {
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (distance < pieces[i].to) return distance < pieces[i].from ? -1 : static_cast<int>(i);
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

Task reduce_by_redundant_halving(Comm comm, View in, View to, const Blocks& blocks, const std::vector<int>& skips,
                                 int kept) {
  const int size = comm.size(), rank = comm.rank();
  const std::vector<std::vector<SumPiece>> steps = sum_pieces(skips);
  std::vector<View> held{in};
  for (std::size_t step = 1; step < steps.size(); ++step) {
    const int away = skips[steps.size() - 1 - step];
    const std::vector<SumPart> parts = arriving_parts(steps[step], kept, size);
    std::vector<View> arrived(held.size());
    Count sent = 0, received = 0;
    for (const SumPart& part : parts) {
      arrived[static_cast<std::size_t>(part.piece)] = comm.scratch(in.elements());
      sent += around(blocks, in, rank + part.from + away, part.number).elements();
      received += around(blocks, in, rank + part.from, part.number).elements();
    }
    const auto here = [&](const SumPart& part) {
      return around(blocks, arrived[static_cast<std::size_t>(part.piece)], rank + part.from, part.number);
    };
    const auto there = [&](const SumPart& part) {
      return around(blocks, held[static_cast<std::size_t>(part.piece)], rank + part.from + away, part.number);
    };
    const Rank above = (rank + away) % size, below = (rank - away + size) % size;
    if (parts.size() == 1) {
      co_await comm.exchange(above, there(parts[0]), below, here(parts[0]));
    } else {
      const View packed = comm.scratch(sent), come = comm.scratch(received);
      std::vector<Op> copies;
      Count at = 0;
      for (const SumPart& part : parts) {
        const View from = there(part);
        copies.push_back(comm.copy(packed.slice(at, from.elements()), from));
        at += from.elements();
      }
      co_await comm.wait(copies);
      co_await comm.exchange(above, packed, below, come);
      copies.clear();
      at = 0;
      for (const SumPart& part : parts) {
        const View into = here(part);
        copies.push_back(comm.copy(into, come.slice(at, into.elements())));
        at += into.elements();
      }
      co_await comm.wait(copies);
    }
    std::vector<View> sums;
    std::vector<Op> combined;
    for (const SumPiece& piece : steps[step]) {
      const View own = held[static_cast<std::size_t>(piece.own)];
      if (piece.arrived < 0) {
        sums.push_back(own);
        continue;
      }
      sums.push_back(step + 1 == steps.size() ? to : comm.scratch(in.elements()));
      const int number = std::min(size, piece.to - piece.from + kept - 1), first = rank + piece.from;
      combined.push_back(comm.combine(around(blocks, sums.back(), first, number),
                                      around(blocks, arrived[static_cast<std::size_t>(piece.arrived)], first, number),
                                      around(blocks, own, first, number)));
    }
    co_await comm.wait(combined);
    held = std::move(sums);
  }
}

}  // namespace tutti
