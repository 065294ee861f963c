#pragma once

#include <string>
#include <vector>

#include "exporters/mpich_tree.hpp"

namespace tutti {

/// MPICH's device CH4 comes before the selection of MpichTree: for some collectives it composes what runs on nodes and
/// between them, by a file of its own (MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE;
/// maint/tuning/coll/ch4/generic.json and src/mpid/ch4/src/ch4_coll_impl.h of 5.0.1), unless that names the composition
/// that leaves the call alone.

/// Whether the device composes anything for the collective.
bool is_composed(Collective collective);

/// What a selection file has for one communicator's ranks where it says nothing: the whole default of the collective.
const MpichTree& mpich_own(Collective collective);

/// That file: where the selection file has its own default, the device's; elsewhere the call is
/// left to what the selection file names.
MpichTree mpich_compositions(const MpichTree& file);

/// Whether so the device is left its own choice, for a call that takes this path through the selection file (leaf_of).
bool keeps_composition(const MpichTree& file, Collective collective, const std::vector<std::string>& path);

}  // namespace tutti
