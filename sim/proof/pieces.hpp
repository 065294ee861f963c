#pragma once

#include <vector>

#include "sim/proof/symbol.hpp"

namespace tutti::proof {

/// Elements that follow each other, of the same contributions. A proof keeps pieces, so that it costs what is told
/// apart, however many elements there are.
struct Piece {
  Symbol first;
  Count elements = 0;

  /// Undefined ones are alike.
  Symbol at(Count i) const {
    return first.term == TermTable::kUndefined ? Symbol{} : Symbol{first.term, first.element + i};
  }
  /// A piece, though this may be undefined with elements that are not.
  Piece part(Count begin, Count count) const { return {at(begin), count}; }
  bool goes_on_with(const Symbol& next) const { return at(elements) == next; }
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// One after the other, none empty, and none goes on with the next.
using Pieces = std::vector<Piece>;

/// One more, behind what is there, if it is not empty.
void append(Pieces& pieces, const Piece& piece);
Count elements_of(const Pieces& pieces);

/// left = left (operator) right, element by element. Right must have as many.
void combine_into(Pieces& left, const Pieces& right, TermTable& terms);

/// Hands out what pieces hold from the first on, part by part, as long as something is left. They must outlive it.
class PieceReader {
 public:
  explicit PieceReader(const Pieces& pieces) : pieces_(&pieces) {}
  /// The next elements, of one piece: up to so many, and at least one.
  Piece take(Count most);

 private:
  const Pieces* pieces_;
  std::size_t piece_ = 0;
  Count taken_ = 0;  // of that piece
};

/// The elements of a buffer. Keeps its capacity. What is written in the midst moves all pieces behind it.
class PieceBuffer {
 public:
  Count size() const { return ends_.empty() ? 0 : ends_.back(); }
  /// So many, undefined.
  void clear(Count elements);
  /// Appends what [first, first + elements) holds, which must be there.
  void read(Count first, Count elements, Pieces& into) const;
  /// From `first` on, where as many must be there.
  void write(Count first, const Pieces& from);
  Symbol operator[](Count i) const;

 private:
  Count begin_of(std::size_t i) const { return i == 0 ? 0 : ends_[i - 1]; }
  Piece piece(std::size_t i) const { return {firsts_[i], ends_[i] - begin_of(i)}; }
  /// The number of the piece with this element.
  std::size_t piece_with(Count element) const;

  // Of each piece.
  std::vector<Symbol> firsts_;
  std::vector<Count> ends_;
  Pieces written_;
};

}  // namespace tutti::proof
