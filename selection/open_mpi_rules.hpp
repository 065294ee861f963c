#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "algos/registry.hpp"

namespace tutti {

/// What a line of Open MPI's classic rules file says (selection/open_mpi_classic.cpp).
struct OpenMpiSetting {
  int algorithm = 0;  // its number
  std::int64_t fanout = 0, segment = 0;
};

/// Nothing for what the file of this version ("4.1", "5.0") cannot say: it holds a fan-out and a segment, all other
/// parameters stay at the library's defaults.
std::optional<OpenMpiSetting> open_mpi_setting(const Choice& choice, const std::string& version);

}  // namespace tutti
