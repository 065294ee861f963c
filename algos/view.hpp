#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>

namespace tutti {

using Rank = int;
using Count = std::int64_t;  // elements; 64-bit everywhere

/// Elements of one of a call's buffers, shaped like a vector datatype: `repeats` runs of `block` elements, `stride`
/// apart, but the last run of `last` elements. A View holds no pointer: control flow of an algorithm cannot depend
/// on data. Trivially copyable; all quantities in elements.
struct View {
  static constexpr std::int32_t kIn = 0, kOut = 1, kFirstScratch = 2;

  std::int32_t buffer = kIn, repeats = 0;
  Count first = 0, block = 0, stride = 0, last = 0;

  static constexpr View contiguous(std::int32_t buffer, Count first, Count elements) {
    return {buffer, elements > 0 ? 1 : 0, first, elements, elements, elements};
  }

  constexpr Count elements() const { return repeats == 0 ? 0 : (repeats - 1) * block + last; }
  constexpr bool empty() const { return repeats == 0; }
  constexpr bool is_contiguous() const { return repeats <= 1; }
  /// One past the last element named, as an index into the buffer.
  constexpr Count end() const { return repeats == 0 ? first : first + (repeats - 1) * stride + last; }

  /// `count` elements from `offset` on. The view must be contiguous and hold them.
  constexpr View slice(Count offset, Count count) const {
    if (!is_contiguous() || offset < 0 || count < 0 || offset + count > elements())
      throw std::out_of_range("View::slice: not inside a contiguous view");
    return contiguous(buffer, first + offset, count);
  }

  /// The i-th run.
  constexpr View run(Count i) const {
    if (i < 0 || i >= repeats) throw std::out_of_range("View::run: no such run");
    return contiguous(buffer, first + i * stride, i == repeats - 1 ? last : block);
  }

  /// Of a contiguous view: `count` elements at `offset`, again every `step` elements, up to its end (the last run
  /// clipped).
  constexpr View every(Count offset, Count count, Count step) const {
    if (!is_contiguous() || offset < 0 || count < 0 || step < count)
      throw std::out_of_range("View::every: bad pattern");
    const Count room = elements() - offset;
    if (room <= 0 || count == 0) return contiguous(buffer, first, 0);
    const Count runs = (room + step - 1) / step, tail = room - (runs - 1) * step;
    if (count == step) return contiguous(buffer, first + offset, room);
    const Count clipped = tail < count ? tail : count;
    if (runs > std::numeric_limits<std::int32_t>::max()) throw std::out_of_range("View::every: more than 2^31 runs");
    return {buffer, static_cast<std::int32_t>(runs), first + offset, runs == 1 ? clipped : count, step, clipped};
  }

  /// Of a contiguous view: all but `count` elements from `offset` on, in up to two runs.
  constexpr View except(Count offset, Count count) const {
    if (!is_contiguous() || offset < 0 || count < 0 || offset + count > elements())
      throw std::out_of_range("View::except: not inside a contiguous view");
    const Count after = elements() - offset - count;
    if (offset == 0) return slice(count, after);
    if (after == 0) return slice(0, offset);
    if (count == 0) return *this;
    return {buffer, 2, first, offset, offset + count, after};
  }

  friend constexpr bool operator==(const View&, const View&) = default;
};

}  // namespace tutti
