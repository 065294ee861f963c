#pragma once
// The texts of selection/baselines/*.json, each read and matched to its schema once for all that is made of it.

#include <map>
#include <string>

#include "json/document.hpp"

namespace tutti {

/// Throws InputError unless the document matches the schema of baselines.
void validate_baseline(const Document& document);

/// By name, "open-mpi-4.1". Thread-safe; they live as long as the program.
const std::map<std::string, Document>& baseline_documents();

}  // namespace tutti
