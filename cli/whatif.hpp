#pragma once

#include <CLI/CLI.hpp>

namespace tutti::cli {

void add_whatif(CLI::App& app, int& status);

}  // namespace tutti::cli
