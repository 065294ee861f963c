// What a rank does with its own memory: copies and combinations.
#include <algorithm>
#include <stdexcept>

#include "runtime/executor.hpp"

namespace tutti {
namespace {

constexpr std::size_t kLongCopyBytes = 256 << 10;

}  // namespace

/// Calls whose buffers do not stay in the core's own cache go through them in turns: from the beginning, in the order
/// in which copies and receives are posted, and from the end. So each begins with what the one before has left there.
/// A copy waits until all is posted that is posted with it, even if it comes first: peers need not wait for it.
void Executor::turn() {
  from_end_ = !from_end_;
  for (const auto& transport : transports_) transport->read_from_end(from_end_);
}

Op Executor::copy(CallScope& scope, const View& to, const View& from) {
  if (to.elements() != from.elements()) throw std::logic_error("copies between views of different sizes");
  if (to == from) return done_op();
  const CallBuffers& memory = memory_of(scope);
  const Region into = memory.region(to), out_of = memory.region(from);
  if (into.bytes() < kLongCopyBytes || !into.is_contiguous() || !out_of.is_contiguous()) {
    tutti::copy(into, out_of);
    return done_op();
  }
  const bool receives_first = std::any_of(records_.begin(), records_.end(), [&](const Record& record) {
    return record.open && record.scope == &scope && !record.is_send;
  });
  const bool comes_first = receives_first == from_end_;
  const LaterCopy copy{open(scope, false, rank_, 0, into), into, out_of, into.bytes(), comes_first, from_end_};
  const Op op = op_of(copy.ticket, records_[copy.ticket].generation);
  later_.insert(comes_first ? later_.begin() : later_.end(), copy);
  return op;
}

void Executor::copy_piece() {
  LaterCopy& copy = later_.front();
  const std::size_t last = (copy.left - 1) / kPieceBytes * kPieceBytes;
  const std::size_t begin = copy.from_end ? last : copy.to.bytes() - copy.left;
  const std::size_t size = copy.from_end ? copy.left - last : std::min(copy.left, kPieceBytes);
  std::memcpy(copy.to.first + begin, copy.from.first + begin, size);
  copy.left -= size;
  if (copy.left > 0) return;
  const Ticket ticket = copy.ticket;
  later_.erase(later_.begin());
  complete(ticket);
}

Op Executor::combine(CallScope& scope, const View& to, const View& left, const View& right) {
  if (to.elements() != left.elements() || to.elements() != right.elements())
    throw std::logic_error("combines views of different sizes");
  const CallBuffers& memory = memory_of(scope);
  const Reduction& reduction = memory.reduction();
  if (!reduction.combine) throw std::logic_error("combines in a call that has no operator");
  const auto apply = [&](std::span<std::byte> out, const std::byte* a, const std::byte* b) {
    reduction.combine(out.data(), a, b, out.size() / memory.element_bytes(), reduction.context);
  };
  const Region out = memory.region(to), a = memory.region(left), b = memory.region(right);
  if (out.is_contiguous() && a.is_contiguous() && b.is_contiguous()) {
    if (out.bytes() > 0) apply({out.first, out.bytes()}, a.first, b.first);
    return done_op();
  }
  for (Cursor into(out), of_left(a), of_right(b); into.left() > 0;) {
    // The shortest of the three pieces; pieces are whole elements.
    Cursor try_out = into, try_left = of_left, try_right = of_right;
    const std::size_t all = into.left();
    const std::size_t piece =
        std::min({try_out.next(all).size(), try_left.next(all).size(), try_right.next(all).size()});
    const auto target = into.next(piece);
    apply(target, of_left.next(piece).data(), of_right.next(piece).data());
  }
  return done_op();
}

}  // namespace tutti
