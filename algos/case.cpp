#include "algos/case.hpp"

#include "base/error.hpp"

namespace tutti {
namespace {

/// Where `count` elements are one block of a buffer of `ranks` blocks.
bool counts_per_block(Collective c) {
  return c == Collective::allgather || c == Collective::gather || c == Collective::scatter ||
         c == Collective::alltoall || c == Collective::reduce_scatter_block;
}

void check_total(Collective collective, std::int64_t bytes, int factor) {
  if (bytes > kLargestTotalBytes / factor)
    throw InputError(std::string(name_of(collective)) + " of " + std::to_string(bytes) + " bytes" +
                     (factor > 1 ? " for each of " + std::to_string(factor) + " ranks" : "") +
                     ": expected at most 2^56 in all");
}

}  // namespace

std::int64_t total_bytes(const Case& c) {
  if (c.collective == Collective::barrier) return 0;
  return c.count * c.element_bytes * (counts_per_block(c.collective) ? c.ranks : 1);
}

Count count_for_total_bytes(Collective collective, int ranks, std::int32_t element_bytes, std::int64_t bytes) {
  if (collective == Collective::barrier) return 0;
  check_total(collective, bytes, 1);
  if (is_reduction(collective) && bytes % element_bytes != 0)
    throw InputError(std::string(name_of(collective)) + " of " + std::to_string(bytes) +
                     " bytes: expected a multiple of the element (" + std::to_string(element_bytes) + " bytes)");
  return bytes / element_bytes / (counts_per_block(collective) ? ranks : 1);
}

std::int64_t total_from_osu_bytes(Collective collective, int ranks, std::int64_t bytes) {
  switch (collective) {
    case Collective::barrier:
      return 0;
    case Collective::allgather:
    case Collective::gather:
    case Collective::scatter:
    case Collective::alltoall:
      check_total(collective, bytes, ranks);
      return bytes * ranks;
    default:
      check_total(collective, bytes, 1);
      return bytes;
  }
}

std::int32_t default_element_bytes(Collective collective) { return is_reduction(collective) ? 4 : 1; }

BufferSizes buffer_sizes(const Case& c, Rank rank) {
  const Count all = c.count * c.ranks, one = c.count;
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
      return {c.in_place ? 0 : one, all};
    case Collective::gather:
      return {at_root && c.in_place ? 0 : one, at_root ? all : 0};
    case Collective::scatter:
      return {at_root ? all : 0, at_root && c.in_place ? 0 : one};
    case Collective::alltoall:
      return {c.in_place ? 0 : all, all};
    case Collective::reduce_scatter:
      return {c.in_place ? 0 : one, c.in_place ? one : Blocks::split(one, c.ranks).count(rank)};
    case Collective::reduce_scatter_block:
      return {c.in_place ? 0 : all, c.in_place ? all : one};
  }
  throw std::logic_error("buffer_sizes: unknown collective");
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
  call.blocks =
      c.collective == Collective::reduce_scatter ? Blocks::split(c.count, c.ranks) : Blocks::regular(c.ranks, c.count);
  call.out_is_blocked = c.collective == Collective::allgather || c.collective == Collective::gather;
  if (c.collective == Collective::bcast) call.in = call.out;
  if (!call.in_place) return call;
  switch (c.collective) {
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
    case Collective::alltoall:
      call.in = call.out;
      break;
    case Collective::allgather:
    case Collective::gather:
      call.in = call.block(rank);
      break;
    case Collective::scatter:
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

}  // namespace tutti
