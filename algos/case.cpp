#include "algos/case.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tutti {
namespace {

/// Where `count` elements are one block of a buffer of `ranks` blocks.
bool counts_per_block(Collective c) {
  return c == Collective::allgather || c == Collective::gather || c == Collective::scatter ||
         c == Collective::alltoall || c == Collective::reduce_scatter_block || c == Collective::allgatherv ||
         c == Collective::alltoallv || c == Collective::gatherv || c == Collective::scatterv;
}

const Neighborhood& neighborhood_of(const Case& c) {
  if (!c.neighborhood) throw std::logic_error(std::string(name_of(c.collective)) + " without a neighbourhood");
  return *c.neighborhood;
}

bool is_exchange(const Case& c) { return c.counts && (c.counts->of_pairs() || c.counts->of_neighbors()); }

/// Of the rank's own block of a gather or scatter, or the whole vector.
Count own_count(const Case& c, Rank rank) {
  return c.counts && c.collective != Collective::reduce_scatter ? c.counts->blocks().count(rank) : c.count;
}

void check_total(Collective collective, std::int64_t bytes, int factor) {
  if (bytes > kLargestTotalBytes / factor)
    throw InputError(std::string(name_of(collective)) + " of " + std::to_string(bytes) + " bytes" +
                     (factor > 1 ? " for each of " + std::to_string(factor) + " ranks" : "") +
                     ": expected at most 2^56 in all");
}

/// Of so many that their bytes need no longer be a number.
std::string amount_text(Count count, std::int32_t element_bytes) {
  return std::to_string(count) +
         (element_bytes == 1 ? " bytes" : " elements of " + std::to_string(element_bytes) + " bytes");
}

}  // namespace

Blocks blocks_of(const Case& c) {
  if (c.counts) return c.counts->blocks();
  return c.collective == Collective::reduce_scatter ? Blocks::split(c.count, c.ranks)
                                                    : Blocks::regular(c.ranks, c.count);
}

Count unevenness(const Case& c) {
  const Blocks blocks = blocks_of(c);
  if (!c.counts) return blocks.larger > 0 ? 1 : 0;
  Count smallest = blocks.count(0);
  for (Rank rank = 1; rank < c.ranks; ++rank) smallest = std::min(smallest, blocks.count(rank));
  return blocks.largest() - smallest;
}

std::int64_t total_bytes(const Case& c) {
  if (c.collective == Collective::barrier) return 0;
  if (c.counts && !c.counts->of_neighbors())
    return c.counts->total() / (c.counts->of_pairs() ? c.ranks : 1) * c.element_bytes;
  return c.count * c.element_bytes * (counts_per_block(c.collective) ? c.ranks : 1);
}

Count count_for_total_bytes(Collective collective, int ranks, std::int32_t element_bytes, std::int64_t bytes) {
  if (collective == Collective::barrier) return 0;
  check_total(collective, bytes, 1);
  if ((is_reduction(collective) || !counts_per_block(collective)) && bytes % element_bytes != 0)
    throw InputError(std::string(name_of(collective)) + " of " + std::to_string(bytes) +
                     " bytes: expected a multiple of the element (" + std::to_string(element_bytes) + " bytes)");
  return bytes / element_bytes / (counts_per_block(collective) ? ranks : 1);
}

Count elements_in_all(Collective collective, int ranks, std::int32_t element_bytes, std::int64_t bytes) {
  check_total(collective, bytes, collective == Collective::alltoallv ? ranks : 1);
  return bytes / element_bytes * (collective == Collective::alltoallv ? ranks : 1);
}

std::int64_t total_from_osu_bytes(Collective collective, int ranks, std::int64_t bytes) {
  switch (collective) {
    case Collective::barrier:
      return 0;
    case Collective::allgather:
    case Collective::gather:
    case Collective::scatter:
    case Collective::alltoall:
    case Collective::allgatherv:
    case Collective::alltoallv:
    case Collective::gatherv:
    case Collective::scatterv:
      check_total(collective, bytes, ranks);
      return bytes * ranks;
    default:
      check_total(collective, bytes, 1);
      return bytes;
  }
}

std::int32_t default_element_bytes(Collective collective) { return is_reduction(collective) ? 4 : 1; }

BufferSizes buffer_sizes(const Case& c, Rank rank) {
  if (is_exchange(c)) return {c.counts->exchange(rank).sent.total(), c.counts->exchange(rank).received.total()};
  const Count all = c.counts ? c.counts->total() : c.count * c.ranks, one = own_count(c, rank);
  const bool at_root = rank == c.root;
  switch (c.collective) {
    case Collective::barrier:
      return {0, 0};
    case Collective::bcast:
      return {0, one};
    case Collective::reduce:
      return {at_root && c.in_place ? 0 : one, at_root ? one : 0};
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
      return {c.in_place ? 0 : one, one};
    case Collective::allgather:
    case Collective::allgatherv:
      return {c.in_place ? 0 : one, all};
    case Collective::gather:
    case Collective::gatherv:
      return {at_root && c.in_place ? 0 : one, at_root ? all : 0};
    case Collective::scatter:
    case Collective::scatterv:
      return {at_root ? all : 0, at_root && c.in_place ? 0 : one};
    case Collective::alltoall:
    case Collective::alltoallv:
      return {c.in_place ? 0 : all, all};
    case Collective::reduce_scatter:
      return {c.in_place ? 0 : one, c.in_place ? one : blocks_of(c).count(rank)};
    case Collective::reduce_scatter_block:
      return {c.in_place ? 0 : all, c.in_place ? all : one};
    case Collective::neighbor_allgather:
    case Collective::neighbor_allgatherv:
      return {c.count, c.count * static_cast<Count>(neighborhood_of(c).sources(rank).size())};
    case Collective::neighbor_alltoall:
    case Collective::neighbor_alltoallv:
      return {c.count * static_cast<Count>(neighborhood_of(c).targets(rank).size()),
              c.count * static_cast<Count>(neighborhood_of(c).sources(rank).size())};
  }
  throw std::logic_error("buffer_sizes: unknown collective");
}

namespace {

Origin origin_among_neighbors(const Case& c, Rank rank, Count element) {
  const auto sources = neighborhood_of(c).sources(rank);
  const Blocks out =
      c.counts ? c.counts->exchange(rank).received : Blocks::regular(static_cast<int>(sources.size()), c.count);
  const int block = out.holding(element);
  const Neighbor& source = sources[block];
  const Count within = element - out.first(block), rest = out.count(block) - within;
  if (source.rank == kNobody) return {kNobody, 0, rest};
  const bool one_for_all =
      c.collective == Collective::neighbor_allgather || c.collective == Collective::neighbor_allgatherv;
  const Count before = one_for_all ? 0
                       : c.counts  ? c.counts->exchange(source.rank).sent.first(source.slot)
                                   : c.count * source.slot;
  return {source.rank, before + within, rest};
}

}  // namespace

Origin origin_of(const Case& c, Rank rank, Count element) {
  if (is_of_neighbors(c.collective)) return origin_among_neighbors(c, rank, element);
  const bool of_pairs = c.counts && c.counts->of_pairs();
  const Blocks regular = Blocks::regular(c.ranks, c.count);
  const Blocks all = c.counts && !of_pairs ? c.counts->blocks() : regular;
  if (c.collective == Collective::scatter || c.collective == Collective::scatterv)
    return {c.root, all.first(rank) + element, all.count(rank) - element};
  const Blocks& out = of_pairs ? c.counts->exchange(rank).received : all;
  const Rank from = out.holding(element);
  const Count within = element - out.first(from), rest = out.count(from) - within;
  if (c.collective != Collective::alltoall && c.collective != Collective::alltoallv) return {from, within, rest};
  return {from, (of_pairs ? c.counts->exchange(from).sent : all).first(rank) + within, rest};
}

Call make_call(const Case& c, Rank rank) {
  const BufferSizes sizes = buffer_sizes(c, rank);
  Call call;
  call.root = c.root;
  call.in_place = c.in_place && (!is_rooted(c.collective) || rank == c.root);
  call.op = c.op;
  call.element_bytes = c.element_bytes;
  call.in = View::contiguous(View::kIn, 0, sizes.in);
  call.out = View::contiguous(View::kOut, 0, sizes.out);
  if (is_of_neighbors(c.collective)) call.neighborhood = &neighborhood_of(c);
  if (is_exchange(c)) {
    call.exchange = &c.counts->exchange(rank);
    call.blocks = call.exchange->sent;
  } else {
    call.blocks = blocks_of(c);
  }
  call.out_is_blocked = c.collective == Collective::allgather || c.collective == Collective::gather ||
                        c.collective == Collective::allgatherv || c.collective == Collective::gatherv ||
                        c.collective == Collective::neighbor_allgather ||
                        c.collective == Collective::neighbor_allgatherv;
  if (c.collective == Collective::bcast) call.in = call.out;
  if (!call.in_place) return call;
  switch (c.collective) {
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
    case Collective::alltoall:
    case Collective::alltoallv:
      call.in = call.out;
      break;
    case Collective::allgather:
    case Collective::gather:
    case Collective::allgatherv:
    case Collective::gatherv:
      call.in = call.block(rank);
      break;
    case Collective::scatter:
    case Collective::scatterv:
      call.out = call.block(rank);
      break;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      call.in = call.out;
      call.out = call.in.slice(0, call.blocks.count(rank));
      break;
    default:
      break;
  }
  return call;
}

Case with_neighborhood(Case c, std::shared_ptr<const Neighborhood> neighborhood) {
  const std::string what(name_of(c.collective));
  if (!is_of_neighbors(c.collective)) throw InputError(what + " has no neighbours: all ranks take part");
  if (c.in_place) throw InputError(what + ": expected a call that is not in place, which MPI does not have");
  if (neighborhood->ranks() != c.ranks)
    throw InputError(what + " of " + std::to_string(c.ranks) + " ranks: expected their neighbours, not those of " +
                     std::to_string(neighborhood->ranks()));
  std::size_t most = 0;
  for (Rank rank = 0; rank < c.ranks; ++rank) most = std::max(most, neighborhood->sources(rank).size());
  if (static_cast<double>(c.count) * static_cast<double>(most) * c.element_bytes * c.ranks >
      static_cast<double>(kLargestTotalBytes))
    throw InputError(what + " of " + amount_text(c.count, c.element_bytes) + " from each of " + std::to_string(most) +
                     " neighbours, on " + std::to_string(c.ranks) + " ranks: expected at most 2^56 bytes in all");
  c.neighborhood = std::move(neighborhood);
  return c;
}

namespace {

void refuse_too_many(const std::string& what, Count elements, std::int32_t element_bytes) {
  if (elements > kLargestTotalBytes / element_bytes)
    throw InputError(what + " of " + amount_text(elements, element_bytes) + ": expected at most 2^56 bytes in all");
}

Case with_counts_among_neighbors(Case c, std::shared_ptr<const BlockCounts> counts) {
  const std::string what(name_of(c.collective));
  const Neighborhood& neighborhood = neighborhood_of(c);
  if (!is_irregular(c.collective)) throw InputError(what + " has no counts of its own for each block");
  bool fit = counts->of_neighbors() && counts->ranks() == c.ranks;
  for (Rank rank = 0; fit && rank < c.ranks; ++rank)
    fit =
        counts->exchange(rank).received.parts == static_cast<int>(neighborhood.sources(rank).size()) &&
        counts->exchange(rank).sent.parts ==
            (c.collective == Collective::neighbor_allgatherv ? 1 : static_cast<int>(neighborhood.targets(rank).size()));
  if (!fit) throw InputError(what + ": expected counts among the same neighbours");
  Count received = 0;
  for (Rank rank = 0; rank < c.ranks; ++rank) {
    const Blocks& blocks = counts->exchange(rank).received;
    received = std::max(received, blocks.first(blocks.parts));
  }
  refuse_too_many(what, std::max(counts->total(), received), c.element_bytes);
  c.count = counts->total() / static_cast<Count>(counts->size());
  c.counts = std::move(counts);
  return c;
}

}  // namespace

Case with_counts(Case c, std::shared_ptr<const BlockCounts> counts) {
  const std::string what(name_of(c.collective));
  if (is_of_neighbors(c.collective)) return with_counts_among_neighbors(std::move(c), std::move(counts));
  const bool of_pairs = c.collective == Collective::alltoallv;
  if (!is_irregular(c.collective)) throw InputError(what + " has no counts of its own for each rank");
  if (counts->ranks() != c.ranks || counts->of_pairs() != of_pairs)
    throw InputError(what + " of " + std::to_string(c.ranks) + " ranks: expected " +
                     std::to_string(of_pairs ? Count{c.ranks} * c.ranks : c.ranks) + " counts, not " +
                     std::to_string(counts->size()));
  refuse_too_many(what, counts->total(), c.element_bytes);
  if (of_pairs && c.in_place) throw InputError("alltoallv in place: expected as many elements to a rank as from it");
  c.count = counts->total() / (c.collective == Collective::reduce_scatter ? 1 : static_cast<Count>(counts->size()));
  c.counts = std::move(counts);
  return c;
}

Case with_counts(Case c, const std::string& text, Count total) {
  const bool of_blocks = c.collective == Collective::neighbor_alltoallv,
             of_pairs = c.collective == Collective::alltoallv;
  auto counts = is_of_neighbors(c.collective) ? BlockCounts::among(neighborhood_of(c), text, total, of_blocks)
                                              : BlockCounts::from(text, c.ranks, total, of_pairs);
  return with_counts(std::move(c), std::move(counts));
}

}  // namespace tutti
