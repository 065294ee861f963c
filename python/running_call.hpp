#pragma once
// The body of an algorithm in Python, run as a call of the abstract API.

#include <nanobind/nanobind.h>

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "algos/registry.hpp"

namespace tutti::python {

/// What the Python objects of one call on one rank share. Handles that are kept beyond the call's end are refused.
struct CallState {
  bool alive = true;
  std::exception_ptr refused;  // what the backend threw at an operation: the coroutine throws it on, as it is

  void expect_alive() const;
};
using SharedState = std::shared_ptr<CallState>;

/// A call of another algorithm, or of the same on a group, that the body waits for.
struct InnerCall {
  std::shared_ptr<const Choice> choice;  // outlives the call
  Comm comm;
  Call call;
};

/// A send that is waited for before anything else is posted, as MPI_Send does, or with a receive, as MPI_Sendrecv does.
/// It is posted when the body waits for it.
struct BlockingSend {
  Comm comm;
  Rank to;
  View what;
  Rank from = 0;
  std::optional<View> into;
  int lane = 0;
};

/// A running generator or coroutine of Python.
class Body {
 public:
  /// Calls the function. Throws what it throws.
  Body(const nanobind::object& function, const Comm& comm, const Call& call);
  ~Body();
  Body(const Body&) = delete;

  /// Runs to the next wait; false: the body has come to its end.
  bool advance();
  /// What it waits for then.
  std::span<const Op> ops() const { return ops_; }
  const InnerCall* inner() const { return inner_.get(); }
  const BlockingSend* blocking() const { return blocking_ ? &*blocking_ : nullptr; }

 private:
  void take(const nanobind::handle& yielded);
  void expect_own(const SharedState& state) const;
  [[noreturn]] void fail();

  SharedState state_;
  nanobind::object generator_;
  std::vector<Op> ops_;
  std::shared_ptr<InnerCall> inner_;
  std::optional<BlockingSend> blocking_;
};

/// The coroutine that stands for `function` on one rank.
Task run_body(Comm comm, Call call, PyObject* function);

/// Which process the interpreter belongs to: to be called in it before any other runs algorithms.
void note_process();

/// What a body has thrown first, as Python raised it; cleared by who takes it. Simulations raise it again.
nanobind::object take_raised();
/// Whether one has since then: a simulation that goes by it (Interruptible) ends, though other ranks would run for
/// ever.
std::atomic<bool>& raised_something();

}  // namespace tutti::python
