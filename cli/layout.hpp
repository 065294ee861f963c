#pragma once

#include "models/layout.hpp"
#include "models/machine_files.hpp"

namespace tutti::cli {

/// read_machine; a note on stderr for each number of cables that the file changes without effect on any time.
ReadMachine load_machine_and_warn(const std::string& name_or_path);
/// A note on stderr where ranks are a node each in some of the layouts and fill nodes in others, as nobody asked.
void warn_of_layout_jump(const Machine& machine, std::span<const LayoutOptions> layouts);

}  // namespace tutti::cli
