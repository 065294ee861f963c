#include "python/running_call.hpp"

#include <nanobind/stl/string.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "python/handles.hpp"
#include "sim/interruption.hpp"

namespace nb = nanobind;

namespace tutti::python {
namespace {

nb::object& raised() {
  static auto* const last = new nb::object();  // never destroyed: the interpreter may be gone by then
  return *last;
}

/// "NameError: name 'x' is not defined (mine.py, line 12)".
std::string one_line(const nb::python_error& error) {
  std::string text = nb::cast<std::string>(nb::str(error.type().attr("__name__")));
  std::string message = nb::cast<std::string>(nb::str(error.value()));
  for (char& c : message)
    if (c == '\n') c = ' ';
  if (!message.empty()) text += ": " + message;
  nb::object at = nb::borrow(error.traceback());
  if (!at.is_valid() || at.is_none()) return text;
  while (!at.attr("tb_next").is_none()) at = at.attr("tb_next");
  const auto file = nb::cast<std::string>(nb::str(at.attr("tb_frame").attr("f_code").attr("co_filename")));
  return text + " (" + file.substr(file.rfind('/') + 1) + ", line " +
         std::to_string(nb::cast<int>(at.attr("tb_lineno"))) + ")";
}

/// The proof runs algorithms in processes of its own. Of the interpreter's threads only this one is there, which it has
/// to be told before it waits for another.
void settle_after_fork() {
  static pid_t settled = getpid();  // of the process in which the first algorithm was declared or run
  if (getpid() == settled) return;
  settled = getpid();
  PyOS_AfterFork_Child();
}

/// An algorithm that calls itself without end would overflow the stack, and end the interpreter. Half of it is left for
/// the way back, which the exception takes; where a stack has no limit (ulimit -s unlimited), memory has one.
bool stack_is_half_full() {
  static constexpr std::size_t kMost = 32 << 20;
  thread_local const char* const middle = [] {
    pthread_attr_t attributes;
    void* lowest = nullptr;
    std::size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
      throw std::runtime_error("this thread's stack is not known");
    pthread_attr_getstack(&attributes, &lowest, &bytes);
    pthread_attr_destroy(&attributes);
    return static_cast<const char*>(lowest) + bytes - std::min(bytes / 2, kMost);
  }();
  const char here = 0;
  return std::less<const char*>()(&here, middle);
}

}  // namespace

void note_process() { settle_after_fork(); }

nb::object take_raised() {
  raised_something() = false;
  return std::exchange(raised(), nb::object());
}

std::atomic<bool>& raised_something() {
  static std::atomic<bool> something{false};
  return something;
}

void CallState::expect_alive() const {
  if (!alive) throw nb::value_error("the call that this belongs to has ended");
}

Body::Body(const nb::object& function, const Comm& comm, const Call& call) : state_(std::make_shared<CallState>()) {
  settle_after_fork();
  if (interrupted()) throw Interrupted();
  if (stack_is_half_full()) {
    PyErr_SetString(PyExc_RecursionError, "an algorithm calls itself too deeply");
    fail();
  }
  try {
    generator_ = function(CommHandle{comm, state_}, CallHandle{call, state_});
  } catch (nb::python_error& error) {
    error.restore();
    fail();
  }
  if (generator_.is_none()) return;  // it waits for nothing
  if (!nb::hasattr(generator_, "send")) {
    PyErr_SetString(PyExc_TypeError,
                    "expected an algorithm that is a generator (with yield), an async function, or returns None");
    fail();
  }
}

Body::~Body() { state_->alive = false; }

bool Body::advance() {
  ops_.clear();
  inner_.reset();
  blocking_.reset();
  if (generator_.is_none()) return false;
  if (interrupted()) throw Interrupted();  // another rank's body has raised something
  PyObject* yielded = nullptr;
  const PySendResult result = PyIter_Send(generator_.ptr(), Py_None, &yielded);
  const nb::object value = nb::steal(yielded);
  if (result == PYGEN_ERROR) fail();
  if (result == PYGEN_RETURN) return false;
  try {
    take(value);
  } catch (const nb::python_error& error) {
    const_cast<nb::python_error&>(error).restore();
    fail();
  }
  return true;
}

/// What is not posted before it is waited for belongs to the call in which it was made.
void Body::expect_own(const SharedState& state) const {
  state->expect_alive();
  if (state == state_) return;
  PyErr_SetString(PyExc_ValueError, "waits for a call or a send of another rank, or of another call");
  throw nb::python_error();
}

/// An operation, a wait, a call, or several operations.
void Body::take(const nb::handle& yielded) {
  if (nb::isinstance<OpHandle>(yielded)) {
    ops_.push_back(nb::cast<const OpHandle&>(yielded).op);
  } else if (nb::isinstance<WaitHandle>(yielded)) {
    ops_ = nb::cast<const WaitHandle&>(yielded).ops;
  } else if (nb::isinstance<InnerHandle>(yielded)) {
    expect_own(nb::cast<const InnerHandle&>(yielded).state);
    inner_ = nb::cast<const InnerHandle&>(yielded).inner;
  } else if (nb::isinstance<BlockingHandle>(yielded)) {
    expect_own(nb::cast<const BlockingHandle&>(yielded).state);
    blocking_ = nb::cast<const BlockingHandle&>(yielded).blocking;
  } else if (nb::isinstance<nb::tuple>(yielded) || nb::isinstance<nb::list>(yielded)) {
    for (const nb::handle one : yielded) {
      if (!nb::isinstance<OpHandle>(one)) {
        PyErr_SetString(PyExc_TypeError, "expected operations to wait for: yield op, or yield [op, op]");
        throw nb::python_error();
      }
      ops_.push_back(nb::cast<const OpHandle&>(one).op);
    }
  } else {
    PyErr_SetString(PyExc_TypeError, "expected what an algorithm may wait for: an operation, several, or a call");
    throw nb::python_error();
  }
}

/// What Python has raised becomes an exception of the coroutine; what the backend threw stays what it was.
void Body::fail() {
  if (state_->refused) {
    PyErr_Clear();
    std::rethrow_exception(std::exchange(state_->refused, nullptr));
  }
  nb::python_error error;  // takes what is set
  if (!raised().is_valid()) raised() = nb::borrow(error.value());
  raised_something() = true;
  throw std::runtime_error(one_line(error));
}

Task run_body(Comm comm, Call call, PyObject* function) {
  const auto body = std::make_unique<Body>(nb::borrow(function), comm, call);
  while (body->advance()) {
    if (const InnerCall* const inner = body->inner()) {
      Task task = inner->choice->algorithm->function()(inner->comm, inner->call);
      co_await task;
    } else if (const BlockingSend* const sent = body->blocking()) {
      if (sent->into)
        co_await sent->comm.exchange(sent->to, sent->what, sent->from, *sent->into, sent->lane);
      else
        co_await sent->comm.blocking_send(sent->to, sent->what, sent->lane);
    } else if (!body->ops().empty()) {
      co_await comm.wait(body->ops());
    }
  }
}

}  // namespace tutti::python
