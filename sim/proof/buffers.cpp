#include "sim/proof/buffers.hpp"

#include <algorithm>
#include <utility>

#include "sim/proof/access.hpp"

namespace tutti::proof {

void Buffers::fill(TermTable& terms, const Case& c, Rank rank) {
  const BufferSizes sizes = buffer_sizes(c, rank);
  used_ = 2;
  const Call call = make_call(c, rank);
  const View in = call.in;
  in_is_constant_ = in.buffer == View::kIn && !call.in_place;
  const bool has_input = c.collective != Collective::bcast || rank == c.root;
  for (const auto& [buffer, size] : {std::pair(View::kIn, sizes.in), std::pair(View::kOut, sizes.out)}) {
    auto& symbols = buffers_[buffer];
    const bool is_all_input = has_input && in.buffer == buffer && in.elements() == size;
    if (!is_all_input) symbols.clear();
    symbols.resize(static_cast<std::size_t>(size));
  }
  if (!has_input) return;
  const Term own = terms.leaf(rank);
  Symbol* const begin = buffers_[in.buffer].data() + in.first;
  for (Count i = 0; i < in.elements(); ++i) begin[i] = input_symbol(own, i);
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

bool Buffers::take(const View& to, const Buffers& others, const View& from) {
  if (!to.is_contiguous() || !from.is_contiguous() || (this == &others && to.buffer == from.buffer)) return false;
  if (from.empty()) return true;
  const auto begin = others[from.buffer].begin() + from.first;
  std::copy(begin, begin + from.elements(), buffers_[to.buffer].begin() + to.first);
  return true;
}

void Buffers::scatter(const View& view, const std::vector<Symbol>& from) {
  auto source = from.begin();
  for (Count i = 0; i < view.repeats; ++i) {
    const View run = view.run(i);
    std::copy(source, source + run.block, buffers_[view.buffer].begin() + run.first);
    source += run.block;
  }
}

}  // namespace tutti::proof
