#pragma once

#include <string>
#include <utility>
#include <vector>

#include "selection/export.hpp"

namespace tutti::cli {

/// Files that switch a tuning file on, named as it is with .lua (Lmod), .tcl (Environment Modules) and .sh behind;
/// `about`: what they say first. Names and texts. Throws InputError on a path that cannot be quoted in them.
std::vector<std::pair<std::string, std::string>> module_files(const std::string& path, const Exporter& exporter,
                                                              const std::vector<std::string>& about);

}  // namespace tutti::cli
