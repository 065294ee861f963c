#pragma once

#include <CLI/CLI.hpp>

namespace tutti::cli {

/// Verbs that compare with what a real MPI sends; as verbs.hpp.
void add_follow(CLI::App& app, int& status);
void add_plan(CLI::App& app, int& status);
void add_messages(CLI::App& app, int& status);

}  // namespace tutti::cli
