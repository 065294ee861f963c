#include "sim/proof/fault.hpp"

namespace tutti::proof {

const char* name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::missing_contribution:
      return "missing contribution";
    case FaultKind::duplicate_contribution:
      return "duplicate contribution";
    case FaultKind::wrong_contribution:
      return "wrong contribution";
    case FaultKind::operand_order:
      return "wrong operand order";
    case FaultKind::input_overwritten:
      return "input overwritten";
    case FaultKind::deadlock:
      return "deadlock";
    case FaultKind::unmatched_message:
      return "unmatched message";
    case FaultKind::size_mismatch:
      return "size mismatch";
    case FaultKind::race:
      return "race";
    case FaultKind::out_of_bounds:
      return "out of bounds";
    case FaultKind::count_mismatch:
      return "count mismatch";
    case FaultKind::exception:
      return "exception";
    case FaultKind::call_abandoned:
      return "call abandoned";
    case FaultKind::undeclared_groups:
      return "undeclared groups";
    case FaultKind::endless:
      return "endless";
    case FaultKind::crash:
      return "crash";
  }
  return "unknown fault";
}

}  // namespace tutti::proof
