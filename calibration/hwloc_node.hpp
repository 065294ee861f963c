#pragma once

#include <filesystem>

#include "calibration/node_parts.hpp"

namespace tutti {

/// Reads an hwloc XML (as lstopo writes it) with libhwloc. Cores are hwloc's, in logical order, without regard to
/// hardware threads. Throws InputError "FILE:LINE: what was expected" if the file is damaged, libhwloc refuses it,
/// crashes on it or does not end (it runs in a process of its own), or the node's parts are not all alike.
NodeParts read_hwloc_node(const std::filesystem::path& xml);

}  // namespace tutti
