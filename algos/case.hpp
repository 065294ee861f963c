#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algos/call.hpp"

namespace tutti {

/// What is asked of all ranks at once: the collective, its size, and how it is called.
/// `count` is the count argument of the MPI call: elements of the vector (bcast, reduce, allreduce, scan, exscan,
/// reduce_scatter: the whole vector), or of one block (allgather, gather, scatter, alltoall, reduce_scatter_block);
/// barrier: 0; among neighbours: elements for each. Irregular ones: every block has `count` elements, or what `counts`
/// says; `count` is then their mean, rounded down (neighbor_allgatherv: that of the ranks, neighbor_alltoallv: of the
/// blocks; reduce_scatter: their sum).
struct Case {
  Collective collective = Collective::barrier;
  int ranks = 1;
  Count count = 0;
  std::int32_t element_bytes = 1;
  Rank root = 0;
  bool in_place = false;
  Operator op = Operator::sum;
  std::shared_ptr<const BlockCounts> counts = {};
  std::shared_ptr<const Neighborhood> neighborhood = {};  // which a collective among neighbours cannot do without
};
/// Among these neighbours. Throws InputError where the collective has none, is in place, or they are of other ranks.
Case with_neighborhood(Case c, std::shared_ptr<const Neighborhood> neighborhood);

/// The irregular case with these counts. Throws InputError where they are not for this collective and its ranks, or are
/// too many elements.
Case with_counts(Case c, std::shared_ptr<const BlockCounts> counts);
/// The same, of `total` elements divided as the text says (BlockCounts::from); among neighbours of so many in the mean.
Case with_counts(Case c, const std::string& text, Count total);

/// How the vector or the blocked buffer is divided among ranks. Not of counts from each to each or among neighbours.
Blocks blocks_of(const Case& c);
/// Of such a case: how many elements the largest block has more than the smallest.
Count unevenness(const Case& c);

/// The largest call: what sizes, offsets and their sums reach stays far from 2^63.
inline constexpr std::int64_t kLargestTotalBytes = std::int64_t{1} << 56;

/// Size of the call in the `total` convention (docs/design.md, sizes): bytes.
std::int64_t total_bytes(const Case& c);
/// The case's count for a total size: per-rank blocks are floor(total / (ranks * element)). Throws InputError where a
/// reduction's size is no multiple of its element, or the size is above kLargestTotalBytes.
Count count_for_total_bytes(Collective collective, int ranks, std::int32_t element_bytes, std::int64_t bytes);
/// Elements of all blocks of an irregular case of this total size.
Count elements_in_all(Collective collective, int ranks, std::int32_t element_bytes, std::int64_t bytes);
/// The total size that OSU's micro-benchmarks would print as `bytes`. Throws InputError above kLargestTotalBytes.
std::int64_t total_from_osu_bytes(Collective collective, int ranks, std::int64_t bytes);
/// 4 for reductions, else 1: what a size in bytes means where no element is named.
std::int32_t default_element_bytes(Collective collective);

/// Elements of a rank's two buffers as an MPI program would have to allocate them (0 where a buffer means nothing).
struct BufferSizes {
  Count in = 0, out = 0;
};
BufferSizes buffer_sizes(const Case& c, Rank rank);

/// Whose input an element of a rank's output is, and where it is there.
struct Origin {
  Rank rank = 0;  // kNobody: the collective leaves the element as it was
  Count element = 0;
  Count elements = 1;  // from this one on so many follow each other here and there: the rest of the block
};
/// Of a collective that moves blocks: allgather(v), alltoall(v), gather(v), scatter(v), and those among neighbours.
Origin origin_of(const Case& c, Rank rank, Count element);

/// The call of one rank. `parameters` must outlive nothing: names come from the registration. The case's counts must
/// outlive the call.
Call make_call(const Case& c, Rank rank);

}  // namespace tutti
