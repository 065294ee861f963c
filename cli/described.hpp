#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tutti::cli {

/// What the command line says of itself, for man pages and completions.
std::vector<const CLI::App*> verbs_of(const CLI::App& app);
/// Throws InputError, with the nearest, for what is no verb.
const CLI::App& verb_of(const CLI::App& app, const std::string& name);
std::vector<const CLI::Option*> documented_options(const CLI::App& verb);
/// --ranks, not -o: shells complete these.
std::vector<std::string> long_names(const CLI::Option& option);

}  // namespace tutti::cli
