#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <functional>

namespace tutti::python {

/// Calls work(i) once for every i below `count` on `threads` threads, without Python's lock, while the caller waits and
/// listens for signals; `progress` (None: nobody asks) is called with how many are done, from the caller's thread.
/// What the first call threw is thrown here. On Ctrl-C, or where `progress` throws, that is thrown at once: no further
/// call begins, and simulations under way stop soon, by themselves. So `work` must own all that it uses.
void run_interruptibly(int threads, std::size_t count, std::function<void(std::size_t)> work,
                       const nanobind::object& progress);

/// Waits for calls that were under way when they were given up; at the interpreter's end.
void join_abandoned();

}  // namespace tutti::python
