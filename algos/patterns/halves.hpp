#pragma once

#include <array>

#include "algos/patterns/segments.hpp"
#include "algos/patterns/tree.hpp"
#include "algos/registry.hpp"

namespace tutti {

/// A vector in halves, the first one longer by an element if need be, each of them in segments.
inline std::array<Segments, 2> segmented_halves(const View& vector, const Call& call) {
  const Blocks two = Blocks::split(vector.elements(), 2);
  return {Segments(two.of(vector, 0), call), Segments(two.of(vector, 1), call)};
}

/// The root sends each of its children a half, segments in turn; ranks below a child pass on its half, `side`, and
/// receive the next segment meanwhile. Every rank of the communicator calls it with its place (real ranks).
Task send_halves_down(Comm comm, Tree tree, std::array<Segments, 2> halves, std::size_t side);

/// How many segments they have.
std::array<double, 2> segments_of_halves(const Facts& facts);

}  // namespace tutti
