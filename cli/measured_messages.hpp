#pragma once

#include <CLI/CLI.hpp>

namespace tutti::cli {

/// Adds --mpi FOLDER to tutti calibrate, and what goes with it: measurements under the user's own MPI.
void add_measured_messages(CLI::App& verb);

/// Becomes validation/measure with all that the verb was given. Returns only by throwing.
[[noreturn]] void run_measured_messages(const CLI::App& verb);

/// Throws InputError where something was given that goes with --mpi alone.
void expect_no_measuring(const CLI::App& verb);

}  // namespace tutti::cli
