#pragma once

#include <CLI/CLI.hpp>

namespace tutti::cli {

void add_doctor(CLI::App& app, int& status);

}  // namespace tutti::cli
