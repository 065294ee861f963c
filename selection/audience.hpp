#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "selection/open_mpi_rules.hpp"

namespace tutti {

/// Who asks a table for the best of what it has: everyone, who has all choices; Open MPI, which has what its rules file
/// can say; MPICH.
using Audience = bool (*)(const Choice&);
inline constexpr std::array<Audience, 2> kOpenMpis = {
    [](const Choice& c) { return open_mpi_setting(c, "4.1").has_value(); },
    [](const Choice& c) { return open_mpi_setting(c, "5.0").has_value(); }};
inline constexpr std::array<Audience, 4> kAudiences = {[](const Choice&) { return true; }, kOpenMpis[0], kOpenMpis[1],
                                                       [](const Choice& c) { return !c.algorithm->mpich().empty(); }};

}  // namespace tutti
