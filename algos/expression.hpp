#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tutti {

/// A named value an expression may use.
struct Fact {
  std::string_view name;
  double value = 0;
};

/// A formula of the metadata, such as "ceil(log2(p)) * n" or "pow2(p) ? 0 : 2". Values are doubles, exact for whole
/// numbers below 2^53. Grammar, loosest first: c ? a : b; ||; &&; == != < <= > >=; + -; * / %; unary - !; calls, names,
/// numbers, parentheses.
/// `/` divides exactly (7/2 is 3.5), `%` is the remainder of whole numbers. Functions: ceil floor min max abs log2 pow,
/// pow2(x) (is x a power of two), even(x), odd(x), ceil_log(x,k) and floor_log(x,k) (whole-number logarithms to base
/// k), sum(i, first, last, body): the sum of body for i = first..last (0 where first > last; 2^24 terms at
/// most in an expression). Immutable; safe to
/// evaluate from several threads.
class Expression {
 public:
  /// Throws std::invalid_argument naming the text and the position of what cannot be parsed.
  explicit Expression(std::string text);
  /// Throws std::invalid_argument on a name that is not among the facts.
  double evaluate(std::span<const Fact> facts) const;
  const std::string& text() const { return text_; }

  struct Node;

 private:
  std::string text_;
  std::shared_ptr<const Node> root_;
};

}  // namespace tutti
