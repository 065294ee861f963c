#pragma once
// What an algorithm in Python holds of its call.

#include <memory>
#include <vector>

#include "python/running_call.hpp"

namespace tutti::python {

struct CommHandle {
  Comm comm;
  SharedState state;
};

struct CallHandle {
  Call call;
  SharedState state;
};

struct OpHandle {
  Op op;
};

/// What `comm.wait(a, b)` returns: for yield, and for await.
struct WaitHandle {
  std::vector<Op> ops;
};

/// What `comm.blocking_send(…)` and `comm.exchange(…)` return.
struct BlockingHandle {
  BlockingSend blocking;
  SharedState state;
};

/// What `comm.call(…)` returns.
struct InnerHandle {
  std::shared_ptr<InnerCall> inner;
  SharedState state;
};

}  // namespace tutti::python
