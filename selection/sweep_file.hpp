#pragma once

#include <string>

#include "selection/tune.hpp"

namespace tutti {

/// What a sweep was asked for, as a text: the same for the same table.
struct SweepFile {
  std::string machine;   // a built-in machine's name, or a file
  std::string identity;  // a checksum of all that simulated times follow from
  TuneRequest request;   // without the machine itself, jobs, and where times are kept
};

/// `machine`: as in SweepFile.
std::string sweep_text(const TuneRequest& request, const std::string& machine);
/// Throws InputError "FILE:LINE: /json/pointer: what was expected".
SweepFile parse_sweep(const std::string& text, const std::string& origin);
/// A checksum of identity_of(request), as the file has it.
std::string short_identity(const TuneRequest& request);

}  // namespace tutti
