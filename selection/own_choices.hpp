#pragma once

#include <string>
#include <vector>

#include "selection/export.hpp"
#include "tables/table.hpp"

namespace tutti {

struct Baseline;

/// What the library picks itself, as far as that is known; nullptr: not at all.
const Baseline* own_choices_of(const Exporter& exporter);
/// The same; where that is known of single versions alone ("mvapich2-2.3" of "mvapich2"), of the one whose times the
/// table has, of several the last by name.
const Baseline* own_choices_of(const Exporter& exporter, const Table& table);

/// The versions of the library of which alone that is known, sorted.
std::vector<std::string> known_versions_of(const Exporter& exporter);

/// Of a baseline that is a version of a library ("mvapich2-2.3"): the exporter for that library; nullptr where the name
/// is none such, or several exporters are for it.
const Exporter* exporter_of_version(const std::string& baseline);

}  // namespace tutti
