#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "algos/valid_case.hpp"
#include "runtime/bench/pattern.hpp"
#include "runtime/collective_call.hpp"

namespace tutti::bench {

/// A rank's buffers for one call, filled by the pattern.
template <class T>
struct Buffers {
  std::vector<T> in, out;

  Buffers(const Case& c, Rank rank) {
    const BufferSizes sizes = buffer_sizes(c, rank);
    in.resize(static_cast<std::size_t>(sizes.in));
    out.resize(static_cast<std::size_t>(sizes.out));
    auto& source = c.collective == Collective::bcast ? out : in;
    if (c.collective == Collective::bcast && rank != c.root) return;
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<T>(pattern(rank, static_cast<Count>(i)));
  }

  CollectiveCall call(const Case& c, const std::string& algorithm) {
    CollectiveCall made = calls::detail::make(c.collective, in, out, c.root);
    if (c.collective == Collective::bcast) made.in = made.out, made.in_elements = made.out_elements;
    if (is_reduction(c.collective)) made.reduction = reduction_of<T>(Predefined::sum);
    made.counts = c.counts;
    made.neighborhood = c.neighborhood;
    return made.with(algorithm);
  }

  void check(const Case& c, Rank rank) const {
    for (std::size_t i = 0; i < out.size(); ++i)
      if (const auto want = expected(c, rank, static_cast<Count>(i)); want && out[i] != static_cast<T>(*want))
        throw std::runtime_error(std::string(name_of(c.collective)) + ": rank " + std::to_string(rank) + ": element " +
                                 std::to_string(i) + " is wrong");
  }
};

/// Reductions of floats, everything else on bytes: calls `body` with a value of the type.
template <class Body>
decltype(auto) on_elements_of(Collective collective, const Body& body) {
  if (is_reduction(collective)) return body(float{});
  return body(std::uint8_t{});
}

/// The call whose size is `bytes` or, in whole blocks, just below; or whose counts are `given`.
inline Case case_of(Collective collective, int ranks, std::int64_t bytes, Rank root, const std::string& counts = "",
                    const std::shared_ptr<const Neighborhood>& neighborhood = nullptr,
                    const std::shared_ptr<const BlockCounts>& given = nullptr) {
  return on_elements_of(collective, [&](auto element) {
    const std::int32_t element_bytes = sizeof element;
    Case c{collective,    ranks, count_for_total_bytes(collective, ranks, element_bytes, bytes),
           element_bytes, root,  false,
           Operator::sum};
    if (neighborhood) c = with_neighborhood(c, neighborhood);
    if (given) c = with_counts(c, given);
    if (!counts.empty()) c = with_counts(c, counts, elements_in_all(collective, ranks, element_bytes, bytes));
    expect_valid(c);
    return c;
  });
}

}  // namespace tutti::bench
