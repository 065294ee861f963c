#pragma once

#include <string>

#include "selection/tune.hpp"

namespace tutti::cli {

/// Finishes a table that was tuned for the request:
///   * adds what is switched off in the machine and how far predictions may be trusted;
///   * writes it;
///   * says on stderr what it gains and what is in it.
/// `machine`: its name or file.
void finish_table(Table& table, const TuneRequest& request, const std::string& machine, const std::string& output);

}  // namespace tutti::cli
