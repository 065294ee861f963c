#pragma once

#include <string>
#include <vector>

namespace tutti::cli {

/// Debian's own, which its packages belong to; where there is none, whichever comes first in PATH.
std::string python_program();

/// That the program was built from.
const char* source_folder();

/// Becomes Python with MODULE and ARGUMENTS: a verb that is written in Python. Its packages are sought beside the
/// program's installed place (share/tutti), then in the source tree that the program was built from, and nowhere else;
/// TUTTI_PROGRAM tells them this program. Returns only by throwing: std::runtime_error where there is no package or no
/// Python.
[[noreturn]] void run_python(const std::string& module, const std::vector<std::string>& arguments);

/// Runs a script, such as "plots/curves.py", sought as packages are, with `input` on its standard input; what it prints
/// goes to stderr, for stdout has the result. Its exit status. Throws std::runtime_error where it cannot be run.
int run_script(const std::string& script, const std::vector<std::string>& arguments, const std::string& input);

}  // namespace tutti::cli
