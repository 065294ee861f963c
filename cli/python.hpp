#pragma once

#include <string>
#include <vector>

namespace tutti::cli {

/// Becomes Python with MODULE and ARGUMENTS: a verb that is written in Python. Its packages are sought beside the
/// program's installed place (share/tutti), then in the source tree that the program was built from, and nowhere else;
/// TUTTI_PROGRAM tells them this program. Returns only by throwing: std::runtime_error where there is no package or no Python.
[[noreturn]] void run_python(const std::string& module, const std::vector<std::string>& arguments);

}  // namespace tutti::cli
