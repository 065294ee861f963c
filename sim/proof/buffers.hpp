#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algos/case.hpp"
#include "sim/proof/pieces.hpp"

namespace tutti::proof {

/// What one rank's buffers hold: the input, the output, and what the call takes for itself. Keeps its
/// capacity from call to call.
class Buffers {
 public:
  /// As a caller fills them; what the call before took is gone.
  void fill(TermTable& terms, const Case& c, Rank rank);
  /// One more, of undefined elements.
  View scratch(Count elements);
  const PieceBuffer& operator[](std::int32_t buffer) const { return buffers_[buffer]; }
  /// What the view names that is not there: "touches element 7 of out, which has 6".
  std::optional<std::string> outside(const View& view) const;
  /// Where it may not be written to, for the caller gave it for reading alone: "writes in[0..3], …".
  std::optional<std::string> constant(const View& view) const;
  /// What the view names, which must be there.
  void gather(const View& view, Pieces& into) const;
  void scatter(const View& view, const Pieces& from);

 private:
  std::vector<PieceBuffer> buffers_{2};
  std::size_t used_ = 2;
  bool in_is_constant_ = false;
  Pieces run_;
};

/// What an element of a rank's input holds, whose contribution is `own`.
inline Symbol input_symbol(Term own, Count element) { return {own, element}; }

}  // namespace tutti::proof
