#pragma once

#include <stdexcept>
#include <string>

namespace tutti::proof {

/// What the proof can find wrong.
enum class FaultKind {
  missing_contribution,    // a result lacks what a rank should have given, or was never written
  duplicate_contribution,  // a rank's contribution is in a result more than once
  wrong_contribution,      // a result holds another element, or what does not belong there
  operand_order,           // right contributions, wrong order for a non-commutative operator
  input_overwritten,       // a buffer the caller did not give for writing has changed
  deadlock,                // ranks wait for each other
  unmatched_message,       // all ranks returned, a message was never sent or never received
  size_mismatch,           // sender and receiver disagree on a message's size
  race,                    // two unordered operations of a rank touch the same elements, one of them writing
  out_of_bounds,           // a view reaches outside its buffer, or a peer outside the communicator
  count_mismatch,          // rounds, messages or bytes differ from what the metadata says
  exception,               // the algorithm threw
  call_abandoned,          // a call was given up before its end was waited for
  undeclared_groups,       // the algorithm asks which ranks share a node, its metadata does not say so
  endless,                 // it posts far more than its messages are declared to need, or does not return
  crash                    // it divides by zero, touches memory that is not there, or aborts
};

const char* name_of(FaultKind kind);

struct Fault {
  FaultKind kind;
  std::string text;  // one line, without the case
};

/// Thrown inside the coroutine that did wrong; the executor reports the first one.
class FaultFound : public std::runtime_error {
 public:
  explicit FaultFound(Fault found) : std::runtime_error(found.text), fault(std::move(found)) {}
  Fault fault;
};

}  // namespace tutti::proof
