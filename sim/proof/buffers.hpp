#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algos/case.hpp"
#include "sim/proof/symbol.hpp"

namespace tutti::proof {

/// What one rank's buffers hold, symbol by symbol: the input, the output, and what the call takes for itself. Keeps its
/// capacity from call to call.
class Buffers {
 public:
  /// As a caller fills them; what the call before took is gone.
  void fill(TermTable& terms, const Case& c, Rank rank);
  /// One more, of undefined elements.
  View scratch(Count elements);
  const std::vector<Symbol>& operator[](std::int32_t buffer) const { return buffers_[buffer]; }
  /// What the view names that is not there: "touches element 7 of out, which has 6".
  std::optional<std::string> outside(const View& view) const;
  /// Where it may not be written to, for the caller gave it for reading alone: "writes in[0..3], …".
  std::optional<std::string> constant(const View& view) const;
  /// What the view names, which must be there.
  void gather(const View& view, std::vector<Symbol>& into) const;
  void scatter(const View& view, const std::vector<Symbol>& from);
  /// Copies what is there of another rank's, or of another of the own buffers, at once; false where that is not
  /// possible.
  bool take(const View& to, const Buffers& others, const View& from);

 private:
  std::vector<std::vector<Symbol>> buffers_{2};
  std::size_t used_ = 2;
  bool in_is_constant_ = false;
};

/// What an element of a rank's input holds, whose contribution is `own`.
inline Symbol input_symbol(Term own, Count element) { return {own, static_cast<std::uint32_t>(element)}; }

}  // namespace tutti::proof
