#pragma once

#include <string>
#include <vector>

namespace tutti {

/// Loads a shared object with algorithms of somebody else, which register themselves: files that include
/// algos/plugin.hpp, one of them with TUTTI_PLUGIN. Only before the registry is first read, and never unloaded; one
/// that is there already is not loaded again. Throws InputError where it is none, was made with other headers, or has
/// an algorithm that is there already.
void load_plugin(const std::string& path);

/// The files that were loaded, absolute, in that order. Not to be called while one is loaded.
const std::vector<std::string>& plugins();

}  // namespace tutti
