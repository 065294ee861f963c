#include "cli/layout.hpp"

#include <fmt/core.h>

#include "models/contention.hpp"

namespace tutti::cli {

ReadMachine load_machine_and_warn(const std::string& name_or_path) {
  ReadMachine read = read_machine(name_or_path);
  for (const std::string& line : idle_changes(read.text, name_or_path)) fmt::print(stderr, "warning: {}\n", line);
  return read;
}

}  // namespace tutti::cli
