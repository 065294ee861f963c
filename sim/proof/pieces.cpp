#include "sim/proof/pieces.hpp"

#include <algorithm>

namespace tutti::proof {

void append(Pieces& pieces, const Piece& piece) {
  if (piece.elements == 0) return;
  if (!pieces.empty() && pieces.back().goes_on_with(piece.first))
    pieces.back().elements += piece.elements;
  else
    pieces.push_back(piece);
}

Count elements_of(const Pieces& pieces) {
  Count elements = 0;
  for (const Piece& piece : pieces) elements += piece.elements;
  return elements;
}

Piece PieceReader::take(Count most) {
  const Piece& piece = (*pieces_)[piece_];
  const Piece part = piece.part(taken_, std::min(most, piece.elements - taken_));
  taken_ += part.elements;
  if (taken_ == piece.elements) {
    ++piece_;
    taken_ = 0;
  }
  return part;
}

void combine_into(Pieces& left, const Pieces& right, TermTable& terms) {
  Pieces combined;
  combined.reserve(std::max(left.size(), right.size()));
  PieceReader others(right);
  for (const Piece& whole : left)
    for (Count i = 0; i < whole.elements;) {
      const Piece other = others.take(whole.elements - i), own = whole.part(i, other.elements);
      const Term term = terms.join(own.first.term, other.first.term);
      const bool same = own.first.element == other.first.element || term == TermTable::kUndefined;
      append(combined, Piece{{same ? term : TermTable::kMixed, own.first.element}, own.elements}.part(0, own.elements));
      i += own.elements;
    }
  left.swap(combined);
}

void PieceBuffer::clear(Count elements) {
  firsts_.clear();
  ends_.clear();
  if (elements == 0) return;
  firsts_.push_back({});
  ends_.push_back(elements);
}

std::size_t PieceBuffer::piece_with(Count element) const {
  return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), element) - ends_.begin());
}

Symbol PieceBuffer::operator[](Count i) const {
  const std::size_t with = piece_with(i);
  return piece(with).at(i - begin_of(with));
}

void PieceBuffer::read(Count first, Count elements, Pieces& into) const {
  const Count end = first + elements;
  for (std::size_t i = elements > 0 ? piece_with(first) : ends_.size(); i < ends_.size() && begin_of(i) < end; ++i) {
    const Count from = std::max(first, begin_of(i));
    append(into, piece(i).part(from - begin_of(i), std::min(end, ends_[i]) - from));
  }
}

void PieceBuffer::write(Count first, const Pieces& from) {
  if (from.empty()) return;
  const Count end = first + elements_of(from);
  // What stays of the first and the last piece that are written to, or the one beside them where that goes on.
  std::size_t begin = piece_with(first), last = piece_with(end - 1);
  if (begin > 0 && begin_of(begin) == first && piece(begin - 1).goes_on_with(from.front().first)) --begin;
  if (ends_[last] == end && last + 1 < ends_.size() && from.back().goes_on_with(firsts_[last + 1])) ++last;
  const Count start = begin_of(begin);
  written_.clear();
  append(written_, piece(begin).part(0, first - start));
  for (const Piece& piece : from) append(written_, piece);
  append(written_,
         piece(last).part(std::max(end, begin_of(last)) - begin_of(last), ends_[last] - std::max(end, begin_of(last))));
  const auto replaced = static_cast<std::ptrdiff_t>(last + 1 - begin),
             now = static_cast<std::ptrdiff_t>(written_.size());
  const auto at = static_cast<std::ptrdiff_t>(begin);
  if (now < replaced) {
    firsts_.erase(firsts_.begin() + at, firsts_.begin() + at + (replaced - now));
    ends_.erase(ends_.begin() + at, ends_.begin() + at + (replaced - now));
  } else {
    firsts_.insert(firsts_.begin() + at, static_cast<std::size_t>(now - replaced), Symbol{});
    ends_.insert(ends_.begin() + at, static_cast<std::size_t>(now - replaced), 0);
  }
  Count at_end = start;
  for (std::size_t i = 0; i < written_.size(); ++i) {
    firsts_[begin + i] = written_[i].first;
    ends_[begin + i] = at_end += written_[i].elements;
  }
}

}  // namespace tutti::proof
