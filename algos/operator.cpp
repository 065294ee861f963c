#include "algos/operator.hpp"

#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "base/near_spelling.hpp"

namespace tutti {

namespace {

constexpr std::pair<std::string_view, Operator> kOperators[] = {{"sum", Operator::sum},
                                                                {"product", Operator::product},
                                                                {"min", Operator::minimum},
                                                                {"max", Operator::maximum},
                                                                {"user-commutative", Operator::user_commutative},
                                                                {"user", Operator::user}};

}  // namespace

std::string_view name_of(Operator op) {
  for (const auto& [name, known] : kOperators)
    if (known == op) return name;
  throw std::logic_error("an operator without a name");
}

Operator operator_named(const std::string& name) {
  for (const auto& [known, op] : kOperators)
    if (name == known) return op;
  throw InputError("unknown operator '" + name + "': expected sum, product, min, max, user-commutative or user" +
                   did_you_mean(name, {"sum", "product", "min", "max", "user-commutative", "user"}));
}

}  // namespace tutti
