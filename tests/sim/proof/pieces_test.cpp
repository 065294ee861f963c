#include "sim/proof/pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tutti::proof {
namespace {

using Symbols = std::vector<Symbol>;

Symbols symbols_of(const Pieces& pieces) {
  Symbols symbols;
  for (const Piece& piece : pieces)
    for (Count i = 0; i < piece.elements; ++i) symbols.push_back(piece.at(i));
  return symbols;
}

void expect_as_few_as_may_be(const Pieces& pieces) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_GT(pieces[i].elements, 0);
    EXPECT_TRUE(i == 0 || !pieces[i - 1].goes_on_with(pieces[i].first));
  }
}

Pieces read(const PieceBuffer& buffer, Count first, Count elements) {
  Pieces pieces;
  buffer.read(first, elements, pieces);
  return pieces;
}

/// A few elements, of which many follow each other.
Pieces drawn(std::mt19937& random, Count elements) {
  Pieces pieces;
  while (elements > 0) {
    const Count some = std::min<Count>(elements, 1 + static_cast<Count>(random() % 4));
    const Term term = random() % 4;
    append(pieces, {{term, term == TermTable::kUndefined ? 0 : static_cast<Count>(random() % 6)}, some});
    elements -= some;
  }
  return pieces;
}

TEST(Pieces, ABufferHoldsWhatWasWrittenElementByElementInAsFewPiecesAsMayBe) {
  std::mt19937 random(1);
  PieceBuffer buffer;
  for (int round = 0; round < 300; ++round) {
    Symbols model(random() % 20);
    const auto size = static_cast<Count>(model.size());
    buffer.clear(size);
    for (int write = 0; write < 20; ++write) {
      const Count first = static_cast<Count>(random()) % (size + 1),
                  elements = static_cast<Count>(random()) % (size - first + 1);
      const Pieces pieces = drawn(random, elements);
      buffer.write(first, pieces);
      const Symbols symbols = symbols_of(pieces);
      std::copy(symbols.begin(), symbols.end(), model.begin() + first);
      const Pieces all = read(buffer, 0, size);
      ASSERT_EQ(symbols_of(all), model);
      expect_as_few_as_may_be(all);
      ASSERT_EQ(buffer.size(), size);
      ASSERT_EQ(symbols_of(read(buffer, first, elements)), symbols);
      for (Count i = 0; i < size; ++i) ASSERT_EQ(buffer[i], model[static_cast<std::size_t>(i)]);
    }
  }
}

TEST(Pieces, AreCombinedElementByElementWhereverTheyEnd) {
  std::mt19937 random(2);
  TermTable terms;
  const Term known[] = {TermTable::kUndefined, TermTable::kMixed, terms.leaf(0), terms.leaf(1)};
  const auto with_terms = [&](Pieces pieces) {
    for (Piece& piece : pieces) piece.first.term = known[piece.first.term];
    return pieces;
  };
  for (int round = 0; round < 1000; ++round) {
    const Count elements = static_cast<Count>(random()) % 12;
    const Pieces left = with_terms(drawn(random, elements)), right = with_terms(drawn(random, elements));
    Pieces both = left;
    combine_into(both, right, terms);
    const Symbols a = symbols_of(left), b = symbols_of(right), got = symbols_of(both);
    ASSERT_EQ(got.size(), a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Term joined = terms.join(a[i].term, b[i].term);
      const bool same = a[i].element == b[i].element || joined == TermTable::kUndefined;
      EXPECT_EQ(got[i].term, same ? joined : TermTable::kMixed);
      EXPECT_EQ(got[i].element, joined == TermTable::kUndefined ? 0 : a[i].element);
    }
    expect_as_few_as_may_be(both);
  }
}

TEST(Pieces, OfAnyNumberOfElementsAreOne) {
  constexpr Count kMany = Count{1} << 40;
  PieceBuffer buffer;
  buffer.clear(kMany);
  buffer.write(0, {{{5, 0}, kMany / 2}});
  buffer.write(kMany / 2, {{{5, kMany / 2}, kMany / 2}});
  EXPECT_EQ(read(buffer, 0, kMany), (Pieces{{{5, 0}, kMany}}));
  EXPECT_EQ(buffer[kMany - 1], (Symbol{5, kMany - 1}));
}

}  // namespace
}  // namespace tutti::proof
