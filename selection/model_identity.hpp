#pragma once

#include <string>

#include "models/machine_files.hpp"

namespace tutti {

/// All that a machine follows from: its text, and what is in the files that it was read from.
std::string machine_identity(const std::string& text, const std::vector<std::string>& files);
/// All that simulated times follow from, beside what is simulated: the text of the cost model's sources, plug-ins, the
/// machine (machine_identity, and what of it is out of order).
std::string model_identity(const std::string& machine);
std::string model_identity(const ReadMachine& machine);
/// All that proofs follow from: the text of the algorithms' and the proof's sources, and plug-ins.
std::string proof_identity();

}  // namespace tutti
