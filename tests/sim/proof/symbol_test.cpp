#include "sim/proof/symbol.hpp"

#include <gtest/gtest.h>

namespace tutti::proof {
namespace {

TEST(Symbols, ARunEndsAtTheFirstThatIsAnotherWhereverThatIs) {
  const Symbol first{5, 1000};
  for (const std::size_t count : {0, 1, 63, 64, 65, 200}) {
    std::vector<Symbol> symbols;
    for (std::uint32_t i = 0; i < count; ++i) symbols.push_back({first.term, first.element + i});
    EXPECT_EQ(run_of(symbols.data(), count, first), count);
    for (std::size_t i = 0; i < count; ++i) {
      const Symbol right = symbols[i];
      for (const Symbol wrong : {Symbol{4, right.element}, Symbol{right.term, right.element + 1}}) {
        symbols[i] = wrong;
        EXPECT_EQ(run_of(symbols.data(), count, first), i);
      }
      symbols[i] = right;
    }
  }
}

}  // namespace
}  // namespace tutti::proof
