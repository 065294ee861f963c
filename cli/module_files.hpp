#pragma once

#include <string>
#include <vector>

#include "selection/export.hpp"

namespace tutti::cli {

/// Files that switch a tuning file on, named as it is with .lua (Lmod), .tcl (Environment Modules) and .sh behind;
/// `about`: what they say first. Returns their names.
std::vector<std::string> write_module_files(const std::string& path, const Exporter& exporter,
                                            const std::vector<std::string>& about);

}  // namespace tutti::cli
