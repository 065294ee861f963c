#pragma once

#include <concepts>
#include <memory>
#include <ranges>
#include <string_view>
#include <type_traits>

#include "algos/registry.hpp"
#include "runtime/reduction.hpp"

namespace tutti {

/// One rank's collective call, as Team runs it: what, on which memory, and by which algorithm. Refers to the memory, to
/// an operator that holds something, and to the algorithm's text; they must stay until the call is over.
/// All ranks give the same collective, sizes, element, root, operator and algorithm.
struct CollectiveCall {
  Collective collective = Collective::barrier;
  const void* in = nullptr;
  void* out = nullptr;
  Count in_elements = 0, out_elements = 0;
  std::int32_t element_bytes = 1;
  Rank root = 0;
  bool in_place = false;
  Reduction reduction;
  std::shared_ptr<const BlockCounts> counts;         // of an irregular collective: the same on all ranks
  std::shared_ptr<const Neighborhood> neighborhood;  // of a collective among neighbours: the same on all ranks
  std::string_view algorithm;                        // "ring", "knomial:radix=8"; empty: the team chooses
  /// An algorithm of the caller's own, which need not be registered; it gets the call as a registered one would,
  /// without parameters. nullptr: a registered one.
  AlgorithmFunction function = nullptr;

  /// The same call by this algorithm.
  CollectiveCall with(std::string_view chosen) const {
    CollectiveCall changed = *this;
    changed.algorithm = chosen;
    return changed;
  }
  CollectiveCall by(AlgorithmFunction own) const {
    CollectiveCall changed = *this;
    changed.function = own;
    return changed;
  }
};

/// What a call works on: elements one behind the other (a vector, an array, a span), trivially copyable, for their
/// bytes are moved.
template <class T>
concept Buffer = std::ranges::contiguous_range<T> && std::ranges::sized_range<T> &&
                 std::is_trivially_copyable_v<std::ranges::range_value_t<T>> &&
                 sizeof(std::ranges::range_value_t<T>) < (1u << 31);
/// One whose elements can be written.
template <class T>
concept Writable = Buffer<T> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<T>>>;
template <class T>
using ElementOf = std::ranges::range_value_t<T>;

/// Makes CollectiveCalls. With one buffer instead of two the call is in place, on all ranks: it
/// holds a rank's input where MPI_IN_PLACE would have it, and its output (of reduce, gather and scatter away from the
/// root: the one buffer that means something there). Otherwise `in` and `out` must not overlap; a buffer that means
/// nothing on a rank (out of reduce and gather, in of scatter, away from the root) may be empty.
namespace calls {

namespace detail {
template <class In, class Out>
CollectiveCall make(Collective collective, const In& in, Out&& out, Rank root, bool in_place = false) {
  static_assert(std::same_as<ElementOf<In>, ElementOf<Out>>, "in and out hold elements of one type");
  CollectiveCall call;
  call.collective = collective;
  call.in = std::ranges::data(in);
  call.out = std::ranges::data(out);
  call.in_elements = static_cast<Count>(std::ranges::size(in));
  call.out_elements = static_cast<Count>(std::ranges::size(out));
  call.element_bytes = static_cast<std::int32_t>(sizeof(ElementOf<Out>));
  call.root = root;
  call.in_place = in_place;
  return call;
}
template <class In, class Out, class Op>
CollectiveCall reduce(Collective collective, const In& in, Out&& out, Rank root, const Op& op, bool in_place = false) {
  CollectiveCall call = make(collective, in, out, root, in_place);
  call.reduction = reduction_of<ElementOf<Out>>(op);
  return call;
}
}  // namespace detail

inline CollectiveCall barrier() { return {}; }
template <Writable Data>
CollectiveCall bcast(Data&& data, Rank root = 0) {
  return detail::make(Collective::bcast, data, data, root);
}

// The third argument says whether the call has a root, 0 by default.
#define TUTTI_CALL(name, ...)                                                      \
  template <Buffer In, Writable Out>                                               \
  CollectiveCall name(const In& in, Out&& out __VA_OPT__(, Rank root = 0)) {       \
    return detail::make(Collective::name, in, out, __VA_OPT__(root +) 0);          \
  }                                                                                \
  template <Writable Data>                                                         \
  CollectiveCall name(Data&& data __VA_OPT__(, Rank root = 0)) {                   \
    return detail::make(Collective::name, data, data, __VA_OPT__(root +) 0, true); \
  }
TUTTI_CALL(allgather)
TUTTI_CALL(alltoall)
TUTTI_CALL(gather, rooted)
TUTTI_CALL(scatter, rooted)
#undef TUTTI_CALL

// Blocks of any size, empty ones too. All ranks give the same counts, of all ranks (alltoallv: of all pairs); who knows
// its own alone finds out the others' by Team::counts_of_….
#define TUTTI_CALL(name, ...)                                                                  \
  template <Buffer In, Writable Out>                                                           \
  CollectiveCall name(const In& in, Out&& out,                                                 \
                      std::shared_ptr<const BlockCounts> counts __VA_OPT__(, Rank root = 0)) { \
    CollectiveCall call = detail::make(Collective::name, in, out, __VA_OPT__(root +) 0);       \
    call.counts = std::move(counts);                                                           \
    return call;                                                                               \
  }
TUTTI_CALL(allgatherv)
TUTTI_CALL(alltoallv)
TUTTI_CALL(gatherv, rooted)
TUTTI_CALL(scatterv, rooted)
#undef TUTTI_CALL
#define TUTTI_CALL(name, ...)                                                                               \
  template <Writable Data>                                                                                  \
  CollectiveCall name(Data&& data, std::shared_ptr<const BlockCounts> counts __VA_OPT__(, Rank root = 0)) { \
    CollectiveCall call = detail::make(Collective::name, data, data, __VA_OPT__(root +) 0, true);           \
    call.counts = std::move(counts);                                                                        \
    return call;                                                                                            \
  }
TUTTI_CALL(allgatherv)
TUTTI_CALL(gatherv, rooted)
TUTTI_CALL(scatterv, rooted)
#undef TUTTI_CALL

// Among the neighbours that all ranks know of all: blocks in the order of the rank's targets and of its sources; what
// would come from nobody is not touched. Each to another rank of as many elements, or as the counts say. A rank without
// neighbours cannot tell how many, so that neighbor_alltoall, where there is one, runs by linear, whatever is named.
#define TUTTI_CALL(name)                                                                         \
  template <Buffer In, Writable Out>                                                             \
  CollectiveCall name(const In& in, Out&& out, std::shared_ptr<const Neighborhood> neighborhood, \
                      std::shared_ptr<const BlockCounts> counts = nullptr) {                     \
    CollectiveCall call = detail::make(Collective::name, in, out, 0);                            \
    call.neighborhood = std::move(neighborhood);                                                 \
    call.counts = std::move(counts);                                                             \
    return call;                                                                                 \
  }
TUTTI_CALL(neighbor_allgather)
TUTTI_CALL(neighbor_allgatherv)
TUTTI_CALL(neighbor_alltoall)
TUTTI_CALL(neighbor_alltoallv)
#undef TUTTI_CALL

#define TUTTI_CALL(name, ...)                                                                        \
  template <Buffer In, Writable Out, class Op>                                                       \
  CollectiveCall name(const In& in, Out&& out, const Op& op __VA_OPT__(, Rank root = 0)) {           \
    return detail::reduce(Collective::name, in, out, __VA_OPT__(root +) 0, op);                      \
  }                                                                                                  \
  template <Writable Data, class Op>                                                                 \
  requires(!Buffer<Op>) CollectiveCall name(Data&& data, const Op& op __VA_OPT__(, Rank root = 0)) { \
    return detail::reduce(Collective::name, data, data, __VA_OPT__(root +) 0, op, true);             \
  }
TUTTI_CALL(allreduce)
TUTTI_CALL(reduce, rooted)
TUTTI_CALL(scan)
TUTTI_CALL(exscan)
// The vector is divided as evenly as possible, the larger parts first, or as counts of all ranks say (reduce_scatter),
// or equally (…_block).
TUTTI_CALL(reduce_scatter)
TUTTI_CALL(reduce_scatter_block)
#undef TUTTI_CALL
template <Buffer In, Writable Out, class Op>
CollectiveCall reduce_scatter(const In& in, Out&& out, std::shared_ptr<const BlockCounts> counts, const Op& op) {
  CollectiveCall call = reduce_scatter(in, out, op);
  call.counts = std::move(counts);
  return call;
}
template <Writable Data, class Op>
CollectiveCall reduce_scatter(Data&& data, std::shared_ptr<const BlockCounts> counts, const Op& op) {
  CollectiveCall call = reduce_scatter(data, op);
  call.counts = std::move(counts);
  return call;
}

}  // namespace calls
}  // namespace tutti
