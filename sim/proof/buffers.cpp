#include "sim/proof/buffers.hpp"

#include "sim/proof/access.hpp"

namespace tutti::proof {

void Buffers::fill(TermTable& terms, const Case& c, Rank rank) {
  const BufferSizes sizes = buffer_sizes(c, rank);
  used_ = 2;
  const Call call = make_call(c, rank);
  const View in = call.in;
  in_is_constant_ = in.buffer == View::kIn && !call.in_place;
  buffers_[View::kIn].clear(sizes.in);
  buffers_[View::kOut].clear(sizes.out);
  if (c.collective == Collective::bcast && rank != c.root) return;
  Pieces input;
  append(input, {input_symbol(terms.leaf(rank), 0), in.elements()});
  scatter(in, input);
}

View Buffers::scratch(Count elements) {
  if (used_ == buffers_.size()) buffers_.emplace_back();
  buffers_[used_].clear(elements);
  return View::contiguous(static_cast<std::int32_t>(used_++), 0, elements);
}

std::optional<std::string> Buffers::outside(const View& view) const {
  if (view.empty()) return std::nullopt;
  const auto index = static_cast<std::size_t>(view.buffer);
  const Count size = index < used_ ? buffers_[index].size() : 0;
  if (view.first >= 0 && view.end() <= size) return std::nullopt;
  return "touches element " + std::to_string(view.end() - 1) + " of " + buffer_name(view.buffer) + ", which has " +
         std::to_string(size);
}

std::optional<std::string> Buffers::constant(const View& view) const {
  if (!in_is_constant_ || view.buffer != View::kIn || view.empty()) return std::nullopt;
  return "writes " + text_of(view) + ", which the caller gave for reading alone";
}

void Buffers::gather(const View& view, Pieces& into) const {
  into.clear();
  for (Count i = 0; i < view.repeats; ++i) {
    const View run = view.run(i);
    (*this)[view.buffer].read(run.first, run.block, into);
  }
}

void Buffers::scatter(const View& view, const Pieces& from) {
  if (view.is_contiguous()) return buffers_[view.buffer].write(view.first, from);
  PieceReader reader(from);
  for (Count i = 0; i < view.repeats; ++i) {
    const View run = view.run(i);
    run_.clear();
    for (Count left = run.block; left > 0;) {
      const Piece piece = reader.take(left);
      append(run_, piece);
      left -= piece.elements;
    }
    buffers_[view.buffer].write(run.first, run_);
  }
}

}  // namespace tutti::proof
