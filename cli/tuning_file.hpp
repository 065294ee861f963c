#pragma once

#include <memory>
#include <string>

#include "selection/export.hpp"

namespace tutti::cli {

/// By its own name ("ucc") or its library's ("open-mpi-4.1"). Throws InputError.
const Exporter& exporter_named(const std::string& name);
/// Where the library reads more than one file: the one beside this that says something else than belongs there, empty:
/// none does. Says on stderr where one is missing.
std::string other_file_beside(const Exporter& exporter, const std::string& path, const std::string& text);
/// And warns so; where there is another file beside it, what the library does does not follow from this one. Throws
/// InputError "PATH:LINE: what was expected".
std::unique_ptr<TuningFile> read_tuning_file(const Exporter& exporter, const std::string& path);

}  // namespace tutti::cli
