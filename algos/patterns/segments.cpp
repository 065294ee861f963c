#include "algos/patterns/segments.hpp"

#include "algos/registry.hpp"

namespace tutti {

Count segments_of_largest(const Blocks& blocks, const Call& call) {
  const Count largest = blocks.largest(), each = call.segment_elements(largest);
  return std::max<Count>(1, (largest + each - 1) / each);
}

Count segments_of_largest(const Blocks& blocks, const Facts& facts) {
  const ParameterValues segment{{"segment", static_cast<std::int64_t>(facts["segment"])}};
  Call call;
  call.element_bytes = static_cast<std::int32_t>(facts["e"]);
  call.parameters = Parameters(segment);
  return segments_of_largest(blocks, call);
}

}  // namespace tutti
