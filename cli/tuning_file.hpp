#pragma once

#include <memory>
#include <string>

#include "selection/export.hpp"

namespace tutti::cli {

/// By its own name ("ucc") or its library's ("open-mpi-4.1"). Throws InputError.
const Exporter& exporter_named(const std::string& name);
/// The library reads more than one file: says on stderr where one beside this is missing, or is not what belongs there.
void warn_of_files_beside(const Exporter& exporter, const std::string& path, const std::string& text);
/// And warns so. Throws InputError "PATH:LINE: what was expected".
std::unique_ptr<TuningFile> read_tuning_file(const Exporter& exporter, const std::string& path);

}  // namespace tutti::cli
