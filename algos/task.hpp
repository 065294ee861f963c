#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <utility>

#include "algos/comm.hpp"

namespace tutti {

/// Coroutine frames come from per-thread free lists: a collective call costs no heap allocation once warm, unless there
/// are many at a time.
void* frame_allocate(std::size_t bytes);
void frame_release(void* frame, std::size_t bytes) noexcept;

/// A running collective on one rank. Starts at once; over() when it has returned and all it posted is complete.
/// `co_await task` waits for that and rethrows what it threw. Destroying a Task before that wait abandons the call,
/// which the proof refutes and the simulators refuse, naming what the call threw if it threw.
class [[nodiscard]] Task {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;  // of no call: may be asked for nothing else
  explicit operator bool() const { return static_cast<bool>(handle_); }
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool over() const;
  bool failed() const;
  /// Rethrows what the coroutine threw, if it threw; then the caller has heard of it.
  void rethrow() const;

  bool await_ready() const { return over() || failed(); }
  void await_suspend(Handle caller) const;
  void await_resume() const {
    join();
    rethrow();
  }

 private:
  friend class WaitTasks;
  explicit Task(Handle handle) : handle_(handle) {}
  void join() const;
  Handle handle_;
};

struct Task::promise_type {
  /// The first parameter of an algorithm is its Comm: this call's operations are counted in this promise.
  template <class... Rest>
  explicit promise_type(Comm& comm, Rest&...) : backend(*comm.backend_) {
    scope.rank = comm.world(comm.rank_);
    scope.group = comm.group_;
    scope.parent = comm.scope_;
    backend.on(CallEvent::begun, scope);
    comm.scope_ = &scope;
  }
  ~promise_type() { backend.on(CallEvent::left, scope); }
  promise_type(const promise_type&) = delete;

  struct End {
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle handle) const noexcept {
      promise_type& promise = handle.promise();
      promise.scope.returned = true;
      promise.backend.on(CallEvent::returned, promise.scope);
      const bool ended = promise.scope.over() || promise.scope.exception;
      if (!ended || !promise.scope.ended) return std::noop_coroutine();
      Waiter* waiter = std::exchange(promise.scope.ended, nullptr);
      return --waiter->pending == 0 ? waiter->handle : std::noop_coroutine();
    }
    void await_resume() const noexcept {}
  };

  Task get_return_object() { return Task(Handle::from_promise(*this)); }
  std::suspend_never initial_suspend() const noexcept { return {}; }
  End final_suspend() const noexcept { return {}; }
  void return_void() const noexcept {}
  void unhandled_exception() noexcept { scope.exception = std::current_exception(); }

  static void* operator new(std::size_t bytes) { return frame_allocate(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { frame_release(frame, bytes); }

  /// The coroutine waits for operations; false if they are complete.
  bool park(std::span<const Op> ops) {
    if (backend.complete(scope, ops)) return false;
    scope.waiter = {Handle::from_promise(*this), 0, scope.rank};
    backend.park(scope, scope.waiter, ops);
    return true;
  }

  Backend& backend;
  CallScope scope;
};

inline bool Task::over() const { return handle_.promise().scope.over(); }
inline bool Task::failed() const { return handle_.promise().scope.exception != nullptr; }
inline void Task::rethrow() const {
  if (!failed()) return;
  handle_.promise().scope.heard = true;
  std::rethrow_exception(handle_.promise().scope.exception);
}
inline void Task::join() const { handle_.promise().backend.on(CallEvent::joined, handle_.promise().scope); }
inline void Task::await_suspend(Handle caller) const {
  Waiter& waiter = caller.promise().scope.waiter;
  waiter = {caller, 1, caller.promise().scope.rank};
  handle_.promise().scope.ended = &waiter;
}

/// Suspends until both calls are over.
class [[nodiscard]] WaitTasks {
 public:
  WaitTasks(Task& a, Task& b) : tasks_{&a, &b} {}
  bool await_ready() const { return tasks_[0]->await_ready() && tasks_[1]->await_ready(); }
  void await_suspend(Task::Handle caller) const {
    Waiter& waiter = caller.promise().scope.waiter;
    waiter = {caller, 0, caller.promise().scope.rank};
    for (Task* task : tasks_)
      if (!task->await_ready()) {
        ++waiter.pending;
        task->handle_.promise().scope.ended = &waiter;
      }
  }
  void await_resume() const {
    for (Task* task : tasks_) task->join();
    for (Task* task : tasks_) task->rethrow();
  }

 private:
  std::array<Task*, 2> tasks_;
};

inline auto Comm::wait(Task& a, Task& b) const { return WaitTasks(a, b); }

}  // namespace tutti
