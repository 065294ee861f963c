#include "selection/operand_order.hpp"

namespace tutti {

bool breaks_order(const Choice& choice, Case c) {
  if (!is_reduction(c.collective)) return false;
  c.op = Operator::sum;
  if (!why_not(choice, c).empty()) return false;
  c.op = Operator::user;
  return !why_not(choice, c).empty();
}

}  // namespace tutti
