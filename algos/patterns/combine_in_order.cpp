#include "algos/patterns/combine_in_order.hpp"

namespace tutti {

Task combine_in_order(Comm comm, View own, View inbox, int operands, int place) {
  const Count elements = own.elements();
  const auto operand = [=](int i) {
    return i == place ? own : inbox.slice((i < place ? i : i - 1) * elements, elements);
  };
  for (int i = 1; i < operands; ++i) co_await comm.wait(comm.combine(operand(i), operand(i - 1), operand(i)));
  co_await comm.wait(comm.copy(own, operand(operands - 1)));
}

}  // namespace tutti
