#pragma once

#include <CLI/CLI.hpp>

namespace tutti::cli {

/// The verbs for a sweep that several processes share, as those of cli/verbs.hpp.
void add_merge(CLI::App& app, int& status);
void add_status(CLI::App& app, int& status);

}  // namespace tutti::cli
