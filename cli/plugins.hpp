#pragma once

#include <CLI/CLI.hpp>

namespace tutti::cli {

/// --plugin FILE …, before the verb.
void add_plugin_option(CLI::App& app);

/// Loads the plug-ins that --plugin and TUTTI_PLUGINS name, and leaves them in TUTTI_PLUGINS for the programs that
/// this one starts. Throws InputError.
void load_plugins(int argc, char** argv);

}  // namespace tutti::cli
