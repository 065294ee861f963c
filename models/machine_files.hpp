#pragma once

#include <string>
#include <vector>

namespace tutti {

/// The files that load_machine reads: none for a name of an embedded machine. Throws InputError where the
/// machine's own cannot be read; what it holds is not checked.
std::vector<std::string> machine_files(const std::string& name_or_path);

}  // namespace tutti
