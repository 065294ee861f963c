#pragma once

#include <string>

#include "models/machine_files.hpp"

namespace tutti {

/// All that simulated times follow from, beside what is simulated: the text of the cost model's sources, plug-ins, the
/// machine's text and what further files make of its network.
std::string model_identity(const std::string& machine_text, const Network& network);
/// The same, and all of those files.
std::string model_identity(const ReadMachine& machine);
/// All that proofs follow from: the text of the algorithms' and the proof's sources, and plug-ins.
std::string proof_identity();

}  // namespace tutti
