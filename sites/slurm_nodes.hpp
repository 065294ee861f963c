#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tutti {

/// What a scheduler says of nodes that are alike in it. 0: not said.
struct SlurmNode {
  std::string name;
  int sockets = 0, cores_per_socket = 0;
  std::int64_t memory_bytes = 0;
  int line = 0;
  std::string missing = {};  ///< keys of its shape that the file lacks, and what stands for them
};

/// `scontrol show nodes` (also --oneliner), or NodeName= lines as in slurm.conf; keys that say nothing of a node's
/// shape are passed over. Sockets are those of all boards; where keys lack, Slurm's own rules say the shape, as far as
/// they do: CPUs are sockets x cores x threads, and one socket has them all where only they are given. Each node once.
/// Throws InputError "FILE:LINE: what was expected".
std::vector<SlurmNode> read_slurm_nodes(const std::filesystem::path& file);

/// The shape of most of them, and how many have another (compact_hosts of those).
struct CommonNode {
  SlurmNode node;
  std::vector<std::string> others;
};
CommonNode common_node(const std::vector<SlurmNode>& nodes);

}  // namespace tutti
