#pragma once

#include <string>

#include "exporters/open_mpi_rules.hpp"

namespace tutti {

/// What is wrong with a classic rules file for this version, whose collectives sizes do not tell apart have one rule.
void lint_open_mpi(const OpenMpiRules& rules, const std::string& text, const Library& library, Doubts& findings);

}  // namespace tutti
