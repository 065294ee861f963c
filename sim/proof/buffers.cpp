#include "sim/proof/buffers.hpp"

#include <algorithm>

#include "sim/proof/access.hpp"

namespace tutti::proof {

Symbol input_symbol(TermTable& terms, Rank rank, Count element) {
  return {terms.leaf(rank), static_cast<std::uint32_t>(element)};
}

void Buffers::fill(TermTable& terms, const Case& c, Rank rank) {
  const BufferSizes sizes = buffer_sizes(c, rank);
  used_ = 2;
  buffers_[0].assign(static_cast<std::size_t>(sizes.in), Symbol{});
  buffers_[1].assign(static_cast<std::size_t>(sizes.out), Symbol{});
  const Call call = make_call(c, rank);
  const View in = call.in;
  in_is_constant_ = in.buffer == View::kIn && !call.in_place;
  if (c.collective == Collective::bcast && rank != c.root) return;
  for (Count i = 0; i < in.elements(); ++i)
    buffers_[static_cast<std::size_t>(in.buffer)][static_cast<std::size_t>(in.first + i)] =
        input_symbol(terms, rank, i);
}

View Buffers::scratch(Count elements) {
  if (used_ == buffers_.size()) buffers_.emplace_back();
  buffers_[used_].assign(static_cast<std::size_t>(elements), Symbol{});
  return View::contiguous(static_cast<std::int32_t>(used_++), 0, elements);
}

std::optional<std::string> Buffers::outside(const View& view) const {
  if (view.empty()) return std::nullopt;
  const auto index = static_cast<std::size_t>(view.buffer);
  const Count size = index < used_ ? static_cast<Count>(buffers_[index].size()) : 0;
  if (view.first >= 0 && view.end() <= size) return std::nullopt;
  return "touches element " + std::to_string(view.end() - 1) + " of " + buffer_name(view.buffer) + ", which has " +
         std::to_string(size);
}

std::optional<std::string> Buffers::constant(const View& view) const {
  if (!in_is_constant_ || view.buffer != View::kIn || view.empty()) return std::nullopt;
  return "writes " + text_of(view) + ", which the caller gave for reading alone";
}

void Buffers::gather(const View& view, std::vector<Symbol>& into) const {
  into.clear();
  for (Count i = 0; i < view.repeats; ++i) {
    const View run = view.run(i);
    const auto begin = (*this)[view.buffer].begin() + run.first;
    into.insert(into.end(), begin, begin + run.block);
  }
}

void Buffers::scatter(const View& view, const std::vector<Symbol>& from) {
  auto source = from.begin();
  for (Count i = 0; i < view.repeats; ++i) {
    const View run = view.run(i);
    std::copy(source, source + run.block, buffers_[static_cast<std::size_t>(view.buffer)].begin() + run.first);
    source += run.block;
  }
}

}  // namespace tutti::proof
