#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tutti {

/// Which nodes and switches a scheduler's switch joins. A block of topology/block is a switch, and all blocks lie below
/// one. Plain data.
struct SwitchTree {
  struct Switch {
    std::string name;
    std::vector<std::string> nodes;     ///< that hang on it directly
    std::vector<std::string> switches;  ///< below it, each described
    int line;
  };
  std::string file;
  std::vector<Switch> switches;
  std::string fault;               ///< not empty: a switch lies below itself, which Slurm refuses; FILE:LINE: …
  std::vector<std::string> notes;  ///< what a reader should know, a line each
};

/// Slurm's topology.conf, `scontrol show topology` or topology.yaml (which of them, the text says). What a switch lists
/// of nodes that are also on a switch below it (scontrol does so) counts there alone. Throws InputError
/// "FILE:LINE: what was expected".
SwitchTree read_slurm_topology(const std::filesystem::path& file);

}  // namespace tutti
