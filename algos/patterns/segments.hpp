#pragma once

#include <algorithm>

#include "algos/call.hpp"

namespace tutti {

class Facts;

/// A contiguous view cut into segments of `each` elements, the last one shorter. An empty view is one empty segment.
struct Segments {
  View whole;
  Count each;

  Segments(const View& vector, const Call& call) : whole(vector), each(call.segment_elements(vector.elements())) {}

  Count count() const { return std::max<Count>(1, (whole.elements() + each - 1) / each); }
  View operator[](Count i) const { return whole.slice(i * each, std::min(each, whole.elements() - i * each)); }
};

/// Into how many segments each block is cut: as many as the largest one has by the parameter `segment`.
Count segments_of_largest(const Blocks& blocks, const Call& call);
Count segments_of_largest(const Blocks& blocks, const Facts& facts);

/// Piece `number` of so many nearly equal ones, the longer ones first.
inline View piece_of(const View& vector, Count pieces, Count number) {
  const Count each = vector.elements() / pieces, longer = vector.elements() % pieces;
  return vector.slice(number * each + std::min(number, longer), each + (number < longer ? 1 : 0));
}

}  // namespace tutti
