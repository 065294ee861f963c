#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
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

/// The first elements, as many as are asked for at least, of what the ranks first … last have combined in order. Calls
/// want the same again and again: they are kept, for each thread.
template <class T, class Op>
const std::vector<T>& combined(Rank first, Rank last, Count elements, const Op& op) {
  static_assert(std::is_empty_v<Op>);  // else what is kept may be another operator's
  static thread_local std::map<std::pair<Rank, Rank>, std::vector<T>> kept;
  std::vector<T>& all = kept[{first, last}];
  for (Count i = static_cast<Count>(all.size()); i < elements; ++i) {
    T sum = input<T>(first, i);
    for (Rank r = first + 1; r <= last; ++r) sum = op(sum, input<T>(r, i));
    all.push_back(sum);
  }
  return all;
}

/// Elements of a rank's output: those of the ranks first_rank … last_rank combined, of one in most collectives, from
/// element `first` on; or left open, where `first_rank` is kNobody.
struct Part {
  Rank first_rank, last_rank;
  Count first, count;
};

/// Of a collective whose blocks have counts of their own: one count after the other.
inline std::vector<Part> moved(const Case& c, Rank rank) {
  const bool of_pairs = c.counts && c.counts->of_pairs();
  const auto count = [&](Rank from, Rank to) {
    return !c.counts ? c.count : of_pairs ? c.counts->from_to(from, to) : c.counts->blocks().count(from);
  };
  if (c.collective == Collective::scatterv) {
    Count first = 0;
    for (Rank r = 0; r < rank; ++r) first += count(r, r);
    return {{c.root, c.root, first, count(rank, rank)}};
  }
  std::vector<Part> parts;
  for (Rank from = 0; from < c.ranks; ++from) {
    Count first = 0;
    for (Rank to = 0; c.collective == Collective::alltoallv && to < rank; ++to) first += count(from, to);
    parts.push_back({from, from, first, count(from, rank)});
  }
  return parts;
}

/// What a rank's sources have for it, one block after the other; each source's block is found by going through all that
/// it sends.
inline std::vector<Part> from_neighbors(const Case& c, Rank rank) {
  const bool one_for_all =
      c.collective == Collective::neighbor_allgather || c.collective == Collective::neighbor_allgatherv;
  const auto count = [&](Rank from, int slot) {
    if (!c.counts) return c.count;
    return c.counts->exchange(from).sent.count(one_for_all ? 0 : slot);
  };
  std::vector<Part> parts;
  for (const Neighbor& source : c.neighborhood->sources(rank)) {
    Part part{source.rank, source.rank, 0, c.counts ? 0 : c.count};
    if (source.rank != kNobody) {
      part.count = count(source.rank, source.slot);
      for (int slot = 0; !one_for_all && slot < source.slot; ++slot) part.first += count(source.rank, slot);
    }
    parts.push_back(part);
  }
  return parts;
}

/// The `results` elements of the rank's output, part by part.
inline std::vector<Part> expected(const Case& c, Rank rank, Count results) {
  const Rank last = c.ranks - 1;
  std::vector<Part> parts;
  switch (c.collective) {
    case Collective::barrier:
      return {{kNobody, kNobody, 0, results}};
    case Collective::bcast:
      return {{c.root, c.root, 0, results}};
    case Collective::reduce:
    case Collective::allreduce:
      return {{0, last, 0, results}};
    case Collective::scan:
      return {{0, rank, 0, results}};
    case Collective::exscan:
      return {{rank == 0 ? kNobody : 0, rank - 1, 0, results}};
    case Collective::allgather:
    case Collective::gather:
      for (Rank from = 0; from < c.ranks; ++from) parts.push_back({from, from, 0, c.count});
      return parts;
    case Collective::scatter:
      return {{c.root, c.root, rank * c.count, results}};
    case Collective::alltoall:
      for (Rank from = 0; from < c.ranks; ++from) parts.push_back({from, from, rank * c.count, c.count});
      return parts;
    case Collective::allgatherv:
    case Collective::alltoallv:
    case Collective::gatherv:
    case Collective::scatterv:
      return moved(c, rank);
    case Collective::neighbor_allgather:
    case Collective::neighbor_allgatherv:
    case Collective::neighbor_alltoall:
    case Collective::neighbor_alltoallv:
      return from_neighbors(c, rank);
    case Collective::reduce_scatter:
      return {{0, last, blocks_of(c).first(rank), results}};
    case Collective::reduce_scatter_block:
      return {{0, last, rank * c.count, results}};
  }
  throw std::logic_error("expected: unknown collective");
}

/// The first of the results that is not what it must be, or that should be there and is not; nothing where all are.
template <class T, class Op>
std::optional<Count> first_wrong(const Case& c, Rank rank, const T* result, Count results, const Op& op) {
  Count at = 0;
  if (results == 0) return std::nullopt;  // what a rank that is no root gets
  for (const Part& part : expected(c, rank, results)) {
    const Count count = std::min(part.count, results - at);
    if (part.first_rank != kNobody && count > 0) {
      const T* const want = combined<T>(part.first_rank, part.last_rank, part.first + count, op).data() + part.first;
      const T* const got = result + at;
      if (std::memcmp(got, want, static_cast<std::size_t>(count) * sizeof(T)) != 0)
        if (const auto differ = std::mismatch(got, got + count, want).first; differ != got + count)
          return differ - result;
    }
    at += count;
    if (count < part.count) return at;
  }
  return at == results ? std::nullopt : std::optional(at);
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
    if (c.collective != Collective::bcast || rank == c.root) {
      const auto put_in = combined<T>(rank, rank, call.in.elements(), [](T only, T) { return only; }).begin();
      std::copy_n(put_in, call.in.elements(), source.begin() + call.in.first);
    }
    result = (call.out.buffer == View::kIn ? in : out).data() + call.out.first;
    results = call.out.elements();
  }
};

}  // namespace tutti
