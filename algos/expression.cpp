#include "algos/expression.hpp"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace tutti {

struct Expression::Node {
  std::string symbol;  // operator, function or fact name; empty: a number
  double number = 0;
  std::vector<std::shared_ptr<const Node>> arguments;
  bool is_name = false;
};

namespace {

using Node = Expression::Node;
using NodePtr = std::shared_ptr<const Node>;

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
    throw std::invalid_argument("expression '" + text_ + "', character " + std::to_string(position_ + 1) + ": " + what);
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
  static NodePtr make(std::string symbol, std::vector<NodePtr> arguments) {
    return std::make_shared<Node>(Node{std::move(symbol), 0, std::move(arguments), false});
  }

  NodePtr conditional() {
    NodePtr condition = binary(0);
    if (!accept("?")) return condition;
    NodePtr yes = conditional();
    expect(":");
    return make("?", {condition, yes, conditional()});
  }
  NodePtr binary(std::size_t level) {
    static const std::vector<std::vector<std::string>> kLevels = {
        {"||"}, {"&&"}, {"==", "!=", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}};
    if (level == kLevels.size()) return unary();
    NodePtr left = binary(level + 1);
    for (;;) {
      const std::string* found = nullptr;
      for (const std::string& symbol : kLevels[level])
        if (accept(symbol)) {
          found = &symbol;
          break;
        }
      if (!found) return left;
      left = make(*found, {left, binary(level + 1)});
    }
  }
  NodePtr unary() {
    if (accept("-")) return make("negate", {unary()});
    if (accept("!")) return make("not", {unary()});
    return primary();
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
      return std::make_shared<Node>(Node{"", number, {}, false});
    }
    if (!std::isalpha(static_cast<unsigned char>(first))) fail("expected a value");
    const std::string name = identifier();
    if (!accept("(")) return std::make_shared<Node>(Node{name, 0, {}, true});
    std::vector<NodePtr> arguments{conditional()};
    while (accept(",")) arguments.push_back(conditional());
    expect(")");
    check_function(name, arguments.size());
    return make(name, std::move(arguments));
  }
  std::string identifier() {
    const std::size_t begin = position_;
    while (position_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[position_])) || text_[position_] == '_'))
      ++position_;
    return text_.substr(begin, position_ - begin);
  }
  void check_function(const std::string& name, std::size_t arguments) const {
    static const std::vector<std::pair<std::string, std::size_t>> kFunctions = {
        {"ceil", 1}, {"floor", 1}, {"abs", 1},      {"log2", 1},      {"pow2", 1}, {"even", 1}, {"odd", 1},
        {"min", 2},  {"max", 2},   {"ceil_log", 2}, {"floor_log", 2}, {"pow", 2},  {"sum", 4}};
    for (const auto& [known, count] : kFunctions)
      if (known == name) {
        if (count != arguments) fail(name + " takes " + std::to_string(count) + " arguments");
        return;
      }
    fail("unknown function '" + name + "'");
  }

  const std::string& text_;
  std::size_t position_ = 0;
};

double whole_log(double x, double k, bool up) {
  if (x < 1 || k < 2) throw std::invalid_argument("ceil_log and floor_log need x >= 1 and k >= 2");
  double power = 1, exponent = 0;
  while (power * k <= x) {
    power *= k;
    ++exponent;
  }
  return up && power < x ? exponent + 1 : exponent;
}

class Evaluator {
 public:
  explicit Evaluator(std::span<const Fact> facts) : facts_(facts) {}

  double value(const Node& node) {
    if (node.arguments.empty()) return node.is_name ? fact(node.symbol) : node.number;
    const std::string& s = node.symbol;
    if (s == "?") return argument(node, 0) != 0 ? argument(node, 1) : argument(node, 2);
    if (s == "||") return argument(node, 0) != 0 || argument(node, 1) != 0;
    if (s == "&&") return argument(node, 0) != 0 && argument(node, 1) != 0;
    if (s == "sum") return sum(node);
    const double a = argument(node, 0);
    return node.arguments.size() == 1 ? unary(s, a) : binary(s, a, argument(node, 1));
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
    locals_.push_back({node.arguments[0]->symbol, first});
    for (double i = first; i <= last; ++i) {
      locals_.back().value = i;
      total += argument(node, 3);
    }
    locals_.pop_back();
    return total;
  }
  static bool is_pow2(double x) { return x >= 1 && std::exp2(std::floor(std::log2(x))) == x; }
  static double unary(const std::string& s, double a) {
    if (s == "negate") return -a;
    if (s == "not") return a == 0;
    if (s == "ceil") return std::ceil(a);
    if (s == "floor") return std::floor(a);
    if (s == "abs") return std::abs(a);
    if (s == "log2") return std::log2(a);
    if (s == "pow2") return is_pow2(a);
    if (s == "even") return std::fmod(a, 2) == 0;
    if (s == "odd") return std::fmod(a, 2) == 1;
    throw std::logic_error("expression: no function " + s);
  }
  static double binary(const std::string& s, double a, double b) {
    if (s == "+") return a + b;
    if (s == "-") return a - b;
    if (s == "*") return a * b;
    if (s == "/") return a / b;
    if (s == "%") return std::fmod(a, b);
    if (s == "==") return a == b;
    if (s == "!=") return a != b;
    if (s == "<") return a < b;
    if (s == "<=") return a <= b;
    if (s == ">") return a > b;
    if (s == ">=") return a >= b;
    if (s == "min") return std::min(a, b);
    if (s == "max") return std::max(a, b);
    if (s == "pow") return std::pow(a, b);
    if (s == "ceil_log") return whole_log(a, b, true);
    if (s == "floor_log") return whole_log(a, b, false);
    throw std::logic_error("expression: no operator " + s);
  }

  std::span<const Fact> facts_;
  std::vector<Fact> locals_;
};

}  // namespace

Expression::Expression(std::string text) : text_(std::move(text)), root_(Parser(text_).parse()) {}

double Expression::evaluate(std::span<const Fact> facts) const { return Evaluator(facts).value(*root_); }

}  // namespace tutti
