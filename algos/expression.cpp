#include "algos/expression.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "algos/patterns/mixed_radix.hpp"

namespace tutti {

struct Expression::Node {
  enum class Kind : std::uint8_t { number, name, conditional, either, both, sum, unary, binary };
  Kind kind = Kind::number;
  double number = 0;
  std::string name = {};
  double (*unary)(double) = nullptr;
  double (*binary)(double, double) = nullptr;
  std::vector<std::shared_ptr<const Node>> arguments = {};
  int depth = 1;  // of the tree below, which is evaluated and destroyed recursively
};

namespace {

using Node = Expression::Node;
using NodePtr = std::shared_ptr<const Node>;
using Kind = Node::Kind;

double whole_log(double x, double k, bool up) {
  if (!(x >= 1 && k >= 2 && std::isfinite(x)))
    throw std::invalid_argument("ceil_log and floor_log need x >= 1, which is finite, and k >= 2");
  double power = 1, exponent = 0;
  while (power * k <= x) {
    power *= k;
    ++exponent;
  }
  return up && power < x ? exponent + 1 : exponent;
}

struct Function {
  std::string_view name;
  double (*unary)(double) = nullptr;
  double (*binary)(double, double) = nullptr;
};
constexpr Function kFunctions[] = {
    {"ceil", [](double a) { return std::ceil(a); }},
    {"floor", [](double a) { return std::floor(a); }},
    {"abs", [](double a) { return std::abs(a); }},
    {"log2", [](double a) { return std::log2(a); }},
    {"pow2", [](double a) -> double { return a >= 1 && std::exp2(std::floor(std::log2(a))) == a; }},
    {"even", [](double a) -> double { return std::fmod(a, 2) == 0; }},
    {"odd", [](double a) -> double { return std::fmod(a, 2) == 1; }},
    {"min", nullptr, [](double a, double b) { return std::min(a, b); }},
    {"max", nullptr, [](double a, double b) { return std::max(a, b); }},
    {"pow", nullptr, [](double a, double b) { return std::pow(a, b); }},
    {"ceil_log", nullptr, [](double a, double b) { return whole_log(a, b, true); }},
    {"floor_log", nullptr, [](double a, double b) { return whole_log(a, b, false); }},
    {"smooth", nullptr,
     [](double a, double b) -> double {
       if (!(a >= 1 && a <= 1 << 24 && b >= 2)) throw std::invalid_argument("smooth needs 1 <= x <= 2^24 and k >= 2");
       return largest_smooth(static_cast<int>(a), static_cast<std::int64_t>(std::min(b, a + 2)));
     }},
};

struct BinaryOperator {
  std::size_t level;  // 0: the loosest
  std::string_view text;
  double (*apply)(double, double);  // nullptr: the second operand is not always looked at
};
/// Of a level, what begins as another does comes before it.
constexpr BinaryOperator kBinaryOperators[] = {
    {0, "||", nullptr},
    {1, "&&", nullptr},
    {2, "==", [](double a, double b) -> double { return a == b; }},
    {2, "!=", [](double a, double b) -> double { return a != b; }},
    {2, "<=", [](double a, double b) -> double { return a <= b; }},
    {2, ">=", [](double a, double b) -> double { return a >= b; }},
    {2, "<", [](double a, double b) -> double { return a < b; }},
    {2, ">", [](double a, double b) -> double { return a > b; }},
    {3, "+", [](double a, double b) { return a + b; }},
    {3, "-", [](double a, double b) { return a - b; }},
    {4, "*", [](double a, double b) { return a * b; }},
    {4, "/", [](double a, double b) { return a / b; }},
    {4, "%", [](double a, double b) { return std::fmod(a, b); }},
};
constexpr std::size_t kPrecedences = 5;

/// What nobody writes, and a thread's stack holds: parentheses, signs and conditions in one another, and nodes of the
/// tree, which a row of summands makes deep.
constexpr int kMostLevels = 200, kMostDepth = 4096;
constexpr std::size_t kShown = 100;

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  NodePtr parse() {
    NodePtr node = conditional();
    skip_space();
    if (position_ != text_.size()) fail("expected the end");
    return node;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument("expression '" + (text_.size() > kShown ? text_.substr(0, kShown) + "…" : text_) +
                                "', character " + std::to_string(position_ + 1) + ": " + what);
  }
  void skip_space() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_]))) ++position_;
  }
  bool accept(std::string_view token) {
    skip_space();
    if (text_.compare(position_, token.size(), token) != 0) return false;
    position_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail("expected '" + std::string(token) + "'");
  }
  NodePtr made(Node node) const {
    for (const NodePtr& argument : node.arguments) node.depth = std::max(node.depth, argument->depth + 1);
    if (node.depth > kMostDepth) fail("expected at most " + std::to_string(kMostDepth) + " operators in a row");
    return std::make_shared<Node>(std::move(node));
  }
  NodePtr make(Kind kind, std::vector<NodePtr> arguments) const {
    return made({.kind = kind, .arguments = std::move(arguments)});
  }
  NodePtr make(double (*unary)(double), NodePtr argument) const {
    return made({.kind = Kind::unary, .unary = unary, .arguments = {std::move(argument)}});
  }
  NodePtr make(double (*binary)(double, double), NodePtr left, NodePtr right) const {
    return made({.kind = Kind::binary, .binary = binary, .arguments = {std::move(left), std::move(right)}});
  }

  /// While one lives, what is read is a level deeper.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.levels_ > kMostLevels) parser_.fail("expected at most " + std::to_string(kMostLevels) + " levels");
    }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --parser_.levels_; }

   private:
    Parser& parser_;
  };

  NodePtr conditional() {
    const Level deeper(*this);
    NodePtr condition = binary(0);
    if (!accept("?")) return condition;
    NodePtr yes = conditional();
    expect(":");
    return make(Kind::conditional, {condition, yes, conditional()});
  }
  NodePtr binary(std::size_t level) {
    if (level == kPrecedences) return unary();
    NodePtr left = binary(level + 1);
    for (;;) {
      const auto* const found =
          std::find_if(std::begin(kBinaryOperators), std::end(kBinaryOperators),
                       [&](const BinaryOperator& one) { return one.level == level && accept(one.text); });
      if (found == std::end(kBinaryOperators)) return left;
      NodePtr right = binary(level + 1);
      left = found->apply ? make(found->apply, left, right)
                          : make(found->text == "||" ? Kind::either : Kind::both, {left, right});
    }
  }
  NodePtr unary() {
    const bool negates = accept("-");
    if (!negates && !accept("!")) return primary();
    const Level deeper(*this);
    if (negates) return make([](double a) { return -a; }, unary());
    return make([](double a) -> double { return a == 0; }, unary());
  }
  NodePtr primary() {
    if (accept("(")) {
      NodePtr inside = conditional();
      expect(")");
      return inside;
    }
    skip_space();
    if (position_ == text_.size()) fail("expected a value");
    const char first = text_[position_];
    if (std::isdigit(static_cast<unsigned char>(first))) {
      char* end = nullptr;
      const double number = std::strtod(text_.c_str() + position_, &end);
      position_ = static_cast<std::size_t>(end - text_.c_str());
      return std::make_shared<Node>(Node{.number = number});
    }
    if (!std::isalpha(static_cast<unsigned char>(first))) fail("expected a value");
    const std::string name = identifier();
    if (!accept("(")) return std::make_shared<Node>(Node{.kind = Kind::name, .name = name});
    std::vector<NodePtr> arguments{conditional()};
    while (accept(",")) arguments.push_back(conditional());
    expect(")");
    return call(name, std::move(arguments));
  }
  NodePtr call(const std::string& name, std::vector<NodePtr> arguments) const {
    const auto expect_arguments = [&](std::size_t count) {
      if (arguments.size() != count) fail(name + " takes " + std::to_string(count) + " arguments");
    };
    if (name == "sum") {
      expect_arguments(4);
      return make(Kind::sum, std::move(arguments));
    }
    const auto* const found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                           [&](const Function& one) { return one.name == name; });
    if (found == std::end(kFunctions)) fail("unknown function '" + name + "'");
    expect_arguments(found->unary ? 1 : 2);
    return found->unary ? make(found->unary, arguments[0]) : make(found->binary, arguments[0], arguments[1]);
  }
  std::string identifier() {
    const std::size_t begin = position_;
    while (position_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[position_])) || text_[position_] == '_'))
      ++position_;
    return text_.substr(begin, position_ - begin);
  }

  const std::string& text_;
  std::size_t position_ = 0;
  int levels_ = 0;
};

class Evaluator {
 public:
  explicit Evaluator(std::span<const Fact> facts) : facts_(facts) {}

  double value(const Node& node) {
    switch (node.kind) {
      case Kind::number:
        return node.number;
      case Kind::name:
        return fact(node.name);
      case Kind::conditional:
        return argument(node, argument(node, 0) != 0 ? 1 : 2);
      case Kind::either:
        return argument(node, 0) != 0 || argument(node, 1) != 0;
      case Kind::both:
        return argument(node, 0) != 0 && argument(node, 1) != 0;
      case Kind::sum:
        return sum(node);
      case Kind::unary:
        return node.unary(argument(node, 0));
      case Kind::binary:
        return node.binary(argument(node, 0), argument(node, 1));
    }
    throw std::logic_error("expression: an unknown kind of node");
  }

 private:
  double argument(const Node& node, std::size_t i) { return value(*node.arguments[i]); }

  double fact(const std::string& name) const {
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local)
      if (local->name == name) return local->value;
    for (const Fact& f : facts_)
      if (f.name == name) return f.value;
    throw std::invalid_argument("unknown name '" + name + "' in an expression");
  }
  double sum(const Node& node) {
    const double first = argument(node, 1), last = argument(node, 2);
    double total = 0;
    locals_.push_back({node.arguments[0]->name, first});
    for (double i = first; i <= last; ++i) {
      if (++terms_ > kMostTerms) throw std::invalid_argument("sum: expected at most 2^24 terms in an expression");
      locals_.back().value = i;
      total += argument(node, 3);
    }
    locals_.pop_back();
    return total;
  }

  static constexpr std::int64_t kMostTerms = 1 << 24;
  std::span<const Fact> facts_;
  std::vector<Fact> locals_;
  std::int64_t terms_ = 0;
};

}  // namespace

Expression::Expression(std::string text) : text_(std::move(text)), root_(Parser(text_).parse()) {}

double Expression::evaluate(std::span<const Fact> facts) const { return Evaluator(facts).value(*root_); }

}  // namespace tutti
