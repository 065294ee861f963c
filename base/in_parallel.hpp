#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace tutti {

/// Calls work(i, thread) once for every i below `count`, begun in ascending order, on `threads` threads, of which the
/// caller is number 0; returns when all have ended. Once one has thrown, no further one begins, and what the first
/// threw is thrown here.
void in_parallel(int threads, std::size_t count, const std::function<void(std::size_t i, std::size_t thread)>& work);

/// Throws InputError unless it is 1 to 1,024. `what`: the option that asks for so many, as the message begins.
void expect_thread_count(int threads, const std::string& what);

}  // namespace tutti
