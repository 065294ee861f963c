#pragma once

#include <string>
#include <vector>

#include "models/machine.hpp"
#include "tables/table.hpp"

namespace tutti {

/// What a table's choices gain over libraries' defaults.
struct GainsRequest {
  const Machine* machine = nullptr;
  std::vector<std::string> baselines;  // names, as find_baseline knows them
  double most_messages = 4 << 20;      // a default that sends more in one call is not simulated
};

/// Fills in the cells' default_seconds and the rules' gains: for each cell, a default that is among the candidates has
/// their time, others are simulated by the table's engine, mode and placement. Returns how many were left out for their
/// messages or by the engine. Throws InputError on an unknown baseline.
std::int64_t add_gains(Table& table, const GainsRequest& request);

}  // namespace tutti
