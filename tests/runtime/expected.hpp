#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "algos/case.hpp"

/// What collectives must give, computed by each rank alone from what all ranks are known to put in.
namespace tutti {

/// Maps x -> scale * x + shift, composed: associative, and the order matters.
struct Affine {
  std::uint32_t scale, shift;
  friend bool operator==(const Affine&, const Affine&) = default;
};
struct Compose {
  Affine operator()(const Affine& left, const Affine& right) const {
    return {left.scale * right.scale, left.scale * right.shift + left.shift};
  }
};

template <class T>
T input(Rank rank, Count i) {
  const auto seed = static_cast<std::uint32_t>(rank) * 2654435761u + static_cast<std::uint32_t>(i) * 40503u + 12345u;
  if constexpr (std::is_same_v<T, Affine>)
    return {seed | 1, seed >> 7};
  else
    return static_cast<T>(static_cast<int>(seed >> 20) - 2048);  // sums of whole numbers are exact in a double too
}

/// Ranks first … last combined, in order.
template <class T, class Op>
T combined(Rank first, Rank last, Count i, const Op& op) {
  T sum = input<T>(first, i);
  for (Rank r = first + 1; r <= last; ++r) sum = op(sum, input<T>(r, i));
  return sum;
}

/// Of a collective whose blocks have counts of their own: whose element i of the rank's output is, one count after the
/// other.
template <class T>
T moved(const Case& c, Rank rank, Count i) {
  const bool of_pairs = c.counts && c.counts->of_pairs();
  const auto count = [&](Rank from, Rank to) {
    return !c.counts ? c.count : of_pairs ? c.counts->from_to(from, to) : c.counts->blocks().count(from);
  };
  if (c.collective == Collective::scatterv) {
    for (Rank r = 0; r < rank; ++r) i += count(r, r);
    return input<T>(c.root, i);
  }
  Rank from = 0;
  while (i >= count(from, rank)) i -= count(from++, rank);
  for (Rank to = 0; c.collective == Collective::alltoallv && to < rank; ++to) i += count(from, to);
  return input<T>(from, i);
}

/// Element i of what a rank's sources have for it, one block after the other; each source's block is found by going
/// through all that it sends.
template <class T>
std::optional<T> from_neighbor(const Case& c, Rank rank, Count i) {
  const Neighborhood& all = *c.neighborhood;
  const bool one_for_all =
      c.collective == Collective::neighbor_allgather || c.collective == Collective::neighbor_allgatherv;
  const auto count = [&](Rank from, int slot) {
    if (!c.counts) return c.count;
    return c.counts->exchange(from).sent.count(one_for_all ? 0 : slot);
  };
  for (const Neighbor& source : all.sources(rank)) {
    const bool is_there = source.rank != kNobody;
    const Count here = is_there ? count(source.rank, source.slot) : c.counts ? 0 : c.count;
    if (i >= here) {
      i -= here;
      continue;
    }
    if (!is_there) return std::nullopt;
    for (int slot = 0; !one_for_all && slot < source.slot; ++slot) i += count(source.rank, slot);
    return input<T>(source.rank, i);
  }
  throw std::logic_error("expected: no such element");
}

/// Element i of the rank's output; nothing where the collective leaves it open.
template <class T, class Op>
std::optional<T> expected(const Case& c, Rank rank, Count i, const Op& op) {
  const Rank last = c.ranks - 1;
  switch (c.collective) {
    case Collective::barrier:
      return std::nullopt;
    case Collective::bcast:
      return input<T>(c.root, i);
    case Collective::reduce:
    case Collective::allreduce:
      return combined<T>(0, last, i, op);
    case Collective::scan:
      return combined<T>(0, rank, i, op);
    case Collective::exscan:
      if (rank == 0) return std::nullopt;
      return combined<T>(0, rank - 1, i, op);
    case Collective::allgather:
    case Collective::gather:
      return input<T>(static_cast<Rank>(i / c.count), i % c.count);
    case Collective::scatter:
      return input<T>(c.root, rank * c.count + i);
    case Collective::alltoall:
      return input<T>(static_cast<Rank>(i / c.count), rank * c.count + i % c.count);
    case Collective::allgatherv:
    case Collective::alltoallv:
    case Collective::gatherv:
    case Collective::scatterv:
      return moved<T>(c, rank, i);
    case Collective::neighbor_allgather:
    case Collective::neighbor_allgatherv:
    case Collective::neighbor_alltoall:
    case Collective::neighbor_alltoallv:
      return from_neighbor<T>(c, rank, i);
    case Collective::reduce_scatter:
      return combined<T>(0, last, blocks_of(c).first(rank) + i, op);
    case Collective::reduce_scatter_block:
      return combined<T>(0, last, rank * c.count + i, op);
  }
  throw std::logic_error("expected: unknown collective");
}

/// A rank's buffers before a call and the place of its output in them.
template <class T>
struct Buffers {
  std::vector<T> in, out;
  const T* result = nullptr;
  Count results = 0;

  Buffers(const Case& c, Rank rank, T filler) {
    const BufferSizes sizes = buffer_sizes(c, rank);
    in.assign(static_cast<std::size_t>(sizes.in), filler);
    out.assign(static_cast<std::size_t>(sizes.out), filler);
    const Call call = make_call(c, rank);
    auto& source = call.in.buffer == View::kIn ? in : out;
    if (c.collective != Collective::bcast || rank == c.root)
      for (Count i = 0; i < call.in.elements(); ++i)
        source[static_cast<std::size_t>(call.in.first + i)] = input<T>(rank, i);
    result = (call.out.buffer == View::kIn ? in : out).data() + call.out.first;
    results = call.out.elements();
  }
};

}  // namespace tutti
