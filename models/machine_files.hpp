#pragma once

#include <string>
#include <vector>

#include "models/machine.hpp"

namespace tutti {

/// The files that load_machine reads: none for a name of an embedded machine. Throws InputError where the
/// machine's own cannot be read; what it holds is not checked.
std::vector<std::string> machine_files(const std::string& name_or_path);
/// The same, of a machine that has this text, whoever wrote it, in that place.
std::vector<std::string> machine_files(const std::string& name_or_path, const std::string& text);

/// A machine as it was read, once: a pipe has its text no second time, and a file may change meanwhile.
struct ReadMachine {
  std::string origin;              // as it was asked for
  std::string text;                // JSON
  std::vector<std::string> files;  // as machine_files
  Machine machine;
};

/// Throws as load_machine.
ReadMachine read_machine(const std::string& name_or_path);

}  // namespace tutti
