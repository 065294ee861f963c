#pragma once

#include <CLI/CLI.hpp>

namespace tutti::cli {

void add_demo(CLI::App& app, int& status);

}  // namespace tutti::cli
