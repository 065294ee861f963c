#pragma once

#include <string>
#include <vector>

#include "models/machine.hpp"
#include "models/variation.hpp"

namespace tutti::cli {

/// What the command line of `whatif` says of the change. In each a comma separates alternatives.
struct ChangeOptions {
  std::vector<std::string> taper, bandwidth, latency, nic, routing, set, fail;
  std::string placement;  // empty: as before
};

/// The machine and the placement after a change.
struct Change {
  std::string name;  // "taper leaf=4:1 + nic 2x400g"
  Machine machine;
  std::string placement;
  std::vector<int> out_of_order = {};  // nodes
  bool cables_failed = false;
  std::string failed = {};  // what is out of order, as it was asked for
  std::vector<Edit> edits = {};
  std::vector<std::string> notes = {};     // what was assumed
  std::vector<std::string> warnings = {};  // what changes nothing
  std::string text = {};                   // the machine's, failures aside
};

/// One for each combination of alternatives. `text`: the machine's, read from `origin`. Throws InputError, naming the
/// option, where a change cannot be made or none is asked for.
std::vector<Change> changes_of(const ChangeOptions& options, const Machine& machine, const std::string& text,
                               const std::string& origin, const std::string& placement);

}  // namespace tutti::cli
