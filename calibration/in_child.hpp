#pragma once

#include <functional>
#include <optional>
#include <string>

namespace tutti {

/// What `work` returns, run in a process of its own: for a library that may crash or never end on what people give it.
/// Nothing where the process ends before that, or takes more than `limit_seconds`. What the work writes to stdout and
/// stderr is lost; it must not throw. Throws std::runtime_error where no process can be made.
std::optional<std::string> in_child(unsigned limit_seconds, const std::function<std::string()>& work);

}  // namespace tutti
