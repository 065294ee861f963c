#pragma once

#include <string>
#include <vector>

#include "exporters/rule_list.hpp"
#include "selection/lint.hpp"

namespace tutti {

/// Whose algorithms and own choices are taken for those of Open MPI 6.0: they have the same numbers.
inline constexpr const char* kOpenMpiJsonLibrary = "open-mpi-5.0-without-han";

/// How the ranks of a communicator are spread, in the file's words.
inline constexpr std::pair<int, const char*> kOpenMpiSpreads[] = {
    {kOnePerNode, "one-per-node"}, {kOneNode, "single-node"}, {kMixed, "any"}};

/// Whether the file has rules that are read: of an allgatherv its schema knows nothing.
bool is_in_open_mpi_json(Collective collective);

/// The rules of the file, in its order. Throws InputError "ORIGIN:LINE: what was expected". With `doubts` it reads on
/// wherever the library would, too, and adds what it thinks of that.
std::vector<ListedRule> read_open_mpi_json(const std::string& text, const std::string& origin,
                                           Doubts* doubts = nullptr);

}  // namespace tutti
