#pragma once

#include <algorithm>

#include "algos/call.hpp"

namespace tutti {

/// A contiguous view cut into segments of `each` elements, the last one shorter. An empty view is one empty segment.
struct Segments {
  View whole;
  Count each;

  Segments(const View& vector, const Call& call) : whole(vector), each(call.segment_elements(vector.elements())) {}

  Count count() const { return std::max<Count>(1, (whole.elements() + each - 1) / each); }
  View operator[](Count i) const { return whole.slice(i * each, std::min(each, whole.elements() - i * each)); }
};

}  // namespace tutti
