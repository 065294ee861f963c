#include "cli/layout.hpp"

#include <fmt/core.h>

#include "models/contention.hpp"

namespace tutti::cli {

ReadMachine load_machine_and_warn(const std::string& name_or_path) {
  ReadMachine read = read_machine(name_or_path);
  for (const std::string& line : idle_changes(read.text, name_or_path)) fmt::print(stderr, "warning: {}\n", line);
  return read;
}

void warn_of_layout_jump(const Machine& machine, std::span<const LayoutOptions> layouts) {
  if (const std::string jump = layout_jump(*machine.network, layouts); !jump.empty())
    fmt::print(stderr, "warning: --ranks without --ppn: {}; --ppn says one for all\n", jump);
}

}  // namespace tutti::cli
