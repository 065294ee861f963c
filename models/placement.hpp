#pragma once
// Which core each rank runs on.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topologies/network.hpp"

namespace tutti {

/// Element r is the core of rank r. All throw InputError where the ranks do not fit the machine.

/// Ranks fill one node after the other with `ppn` each; the last node may get fewer.
std::vector<int> place_block(const Network& network, int ranks, int ppn);
/// The nodes that place_block fills; the ranks of each are dealt out to its sockets in turn (mpirun --map-by socket).
std::vector<int> place_by_socket(const Network& network, int ranks, int ppn);
/// As many nodes as place_block takes, dealt out to in turn.
std::vector<int> place_cyclic(const Network& network, int ranks, int ppn);

/// The nodes of a job that takes so many, ascending: the machine's first; or, with a seed, some of all of them, each
/// set as likely as any other. None of `out_of_order` is among them; others take the places of those that the job would
/// have had.
std::vector<int> nodes_for_job(const Network& network, int count, std::optional<std::uint64_t> seed,
                               std::span<const int> out_of_order);
/// Some of the nodes that are not taken, ascending, each set as likely as any other.
std::vector<int> nodes_beside(const Network& network, int count, std::uint64_t seed, std::span<const int> taken);
/// Ranks on as many of these nodes as they take: one node filled after the other with `ppn` each, or dealt out to in
/// turn.
std::vector<int> place_on(const Network& network, std::span<const int> nodes, int ranks, int ppn, bool in_turn);

/// What the user said beside a placement file.
struct PlacementExpected {
  std::optional<int> ranks, nodes, ppn;  ///< ppn: on the fullest node
};

/// Reads lines rank,node[,group[,leaf]] (by position; a first line whose first field is "rank" is a header; ranks in
/// any order). Group and leaf count where the network has that level, else they are ignored. Names take the machine's
/// groups, leaves and nodes in order of first appearance, ranks the cores of their node in the order of the lines.
/// With a header rank,node,x[,y[,z…]] the columns are coordinates in the job's own torus, which count where the network
/// is a torus: TorusJob says where in it the job's lies.
/// Errors have one line "FILE:LINE: what was expected": a last line without its end, ragged lines, a NUL byte, a rank
/// missing or twice, a name in two places, more than the machine has, or what disagrees with `expected`.
std::vector<int> read_placement(const std::string& path, const Network& network,
                                const PlacementExpected& expected = {});
/// The same from a text; `origin` stands for FILE.
std::vector<int> parse_placement(const std::string& text, const std::string& origin, const Network& network,
                                 const PlacementExpected& expected = {});
/// Of another job at the same time, one rank on each of its nodes: names mean in it what they mean in `other`, none of
/// whose nodes it has.
std::vector<int> read_placement_beside(const std::string& path, const std::string& other, const Network& network);

}  // namespace tutti
