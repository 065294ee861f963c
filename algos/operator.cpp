#include "algos/operator.hpp"

#include "base/error.hpp"
#include "base/near_spelling.hpp"

namespace tutti {

Operator operator_named(const std::string& name) {
  for (const auto& [known, op] : {std::pair{"sum", Operator::sum},
                                  {"product", Operator::product},
                                  {"min", Operator::minimum},
                                  {"max", Operator::maximum},
                                  {"user-commutative", Operator::user_commutative},
                                  {"user", Operator::user}})
    if (name == known) return op;
  throw InputError("unknown operator '" + name + "': expected sum, product, min, max, user-commutative or user" +
                   did_you_mean(name, {"sum", "product", "min", "max", "user-commutative", "user"}));
}

}  // namespace tutti
