#include "algos/patterns/libnbc.hpp"

#include <algorithm>
#include <bit>

#include "algos/patterns/tree.hpp"

namespace tutti {
namespace {

enum class LibnbcWay { linear, binomial, chain, rabenseifner };

/// Sizes make a difference only where coll_libnbc_ibcast_skip_dt_decision is switched off.
LibnbcWay way_of_bcast(int ranks) { return ranks <= 4 ? LibnbcWay::linear : LibnbcWay::binomial; }

LibnbcWay way_of_reduce(int ranks, Count count, std::int64_t bytes) {
  if (ranks > 2 && count >= static_cast<Count>(std::bit_floor(static_cast<unsigned>(ranks))))
    return LibnbcWay::rabenseifner;
  return ranks > 4 || bytes < 65536 ? LibnbcWay::binomial : LibnbcWay::chain;
}
constexpr std::int64_t kChainBytesOfReduce = 8192;
constexpr std::int64_t kRabenseifner = 7;  // in coll/tuned

/// The fragments of a chain: as many as pieces of `bytes` would be, of equal elements; the last takes what is left.
struct Fragments {
  Fragments(Count elements, std::int32_t element_bytes, std::int64_t bytes)
      : elements(elements), count((elements * element_bytes + bytes - 1) / bytes) {
    count = std::clamp<Count>(count, elements > 0 ? 1 : 0, elements);
    each = count > 0 ? elements / count : 0;
  }
  View of(const View& whole, Count i) const {
    return whole.slice(i * each, i + 1 < count ? each : elements - i * each);
  }
  Count elements, count, each = 0;
};

/// The root and rank 0 change places, all others keep theirs.
Rank swapped(Rank rank, Rank root) { return rank == root ? 0 : rank == 0 ? root : rank; }

Task binomial_down(Comm comm, Call call) {
  const Tree tree = binomial_tree_of_doubling(comm.size(), swapped(comm.rank(), call.root));
  if (tree.parent >= 0) co_await comm.wait(comm.recv(swapped(tree.parent, call.root), call.out));
  for (const Rank child : tree.children) comm.send(swapped(child, call.root), call.out);
}

Task binomial_up(Comm comm, Call call) {
  const Tree tree = binomial_tree_nearest_first(comm.size(), swapped(comm.rank(), call.root));
  const View sum = tree.parent < 0 ? call.out : tree.children.empty() ? call.in : comm.scratch(call.in.elements());
  if (!(sum == call.in)) co_await comm.wait(comm.copy(sum, call.in));
  const View incoming = comm.scratch(tree.children.empty() ? 0 : call.in.elements());
  for (const Rank child : tree.children) {
    co_await comm.wait(comm.recv(swapped(child, call.root), incoming));
    co_await comm.wait(comm.combine(sum, sum, incoming));
  }
  if (tree.parent >= 0) co_await comm.wait(comm.send(swapped(tree.parent, call.root), sum));
}

Task chain_up(Comm comm, Call call) {
  const Rank place = swapped(comm.rank(), call.root), last = comm.size() - 1;
  const Fragments fragments(call.in.elements(), call.element_bytes, kChainBytesOfReduce);
  const View incoming = comm.scratch(place < last ? call.in.elements() : 0);
  for (Count i = 0; i < fragments.count; ++i) {
    const View own = fragments.of(call.in, i);
    View sum = own;
    if (place < last) {
      const View its = fragments.of(incoming, i);
      co_await comm.wait(comm.recv(swapped(place + 1, call.root), its));
      sum = place == 0 ? fragments.of(call.out, i) : its;
      co_await comm.wait(comm.combine(sum, own, its));
    } else if (place == 0) {
      co_await comm.wait(comm.copy(fragments.of(call.out, i), own));
    }
    if (place > 0) co_await comm.wait(comm.send(swapped(place - 1, call.root), sum));
  }
}

double ceil_log2(int ranks) { return std::bit_width(static_cast<unsigned>(ranks - 1)); }

}  // namespace

Task libnbc_bcast(Comm comm, Call call) {
  if (way_of_bcast(comm.size()) == LibnbcWay::linear) return run_part(comm, Collective::bcast, 1, call);
  return binomial_down(comm, call);
}

Task libnbc_reduce(Comm comm, Call call) {
  const Count count = call.in.elements();
  switch (way_of_reduce(comm.size(), count, count * call.element_bytes)) {
    case LibnbcWay::rabenseifner:
      return run_part(comm, Collective::reduce, kRabenseifner, call);
    case LibnbcWay::binomial:
      return binomial_up(comm, call);
    default:
      return chain_up(comm, call);
  }
}

PartCounts count_libnbc_bcast(const Facts& whole, int ranks, Count count) {
  const double others = ranks - 1, all = others * static_cast<double>(count) * whole["e"];
  return {way_of_bcast(ranks) == LibnbcWay::linear ? others : ceil_log2(ranks), others, all};
}

PartCounts count_libnbc_reduce(const Facts& whole, int ranks, Count count, Rank root) {
  if (ranks == 1) return {};  // a chain of one has fragments, but sends none
  const auto element = static_cast<std::int32_t>(whole["e"]);
  const std::int64_t bytes = count * element;
  const double others = ranks - 1, all = others * static_cast<double>(bytes);
  switch (way_of_reduce(ranks, count, bytes)) {
    case LibnbcWay::rabenseifner:
      return count_part(whole, Collective::reduce, kRabenseifner, ranks, count, root);
    case LibnbcWay::binomial:
      return {ceil_log2(ranks), others, all};
    default:
      const auto fragments = static_cast<double>(Fragments(count, element, kChainBytesOfReduce).count);
      return {others + fragments - 1, others * fragments, all};
  }
}

}  // namespace tutti
