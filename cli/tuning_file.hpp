#pragma once

#include <memory>
#include <string>

#include "selection/export.hpp"

namespace tutti::cli {

/// By its own name ("ucc") or its library's ("open-mpi-4.1"). Throws InputError.
const Exporter& exporter_named(const std::string& name);
/// Throws InputError "PATH:LINE: what was expected".
std::unique_ptr<TuningFile> read_tuning_file(const Exporter& exporter, const std::string& path);

}  // namespace tutti::cli
