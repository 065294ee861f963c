#pragma once

#include <string>
#include <vector>

namespace tutti {

/// Loads a shared object with algorithms of somebody else, which register themselves: files that include
/// algos/plugin.hpp, one of them with TUTTI_PLUGIN. Only before the registry is first read, and never unloaded; one
/// that is there already is not loaded again. Throws InputError where it is none, was made with other headers, or has
/// an algorithm that is there already.
void load_plugin(const std::string& path);

/// Names plug-ins with colons between; also to the programs that a program starts.
constexpr const char* kPluginsVariable = "TUTTI_PLUGINS";
/// Those that it names. Throws as load_plugin.
void load_plugins_of_environment();
/// Sets it to those that are loaded (plugin_list).
void hand_plugins_on();

/// The files that were loaded, absolute, in that order. Not to be called while one is loaded.
const std::vector<std::string>& plugins();
/// These with colons between, as the variable has them.
std::string plugin_list();
/// "bcast/mine": the algorithms in them, in that order. Not to be called while a plug-in is loaded.
const std::vector<std::string>& plugin_algorithms();

}  // namespace tutti
