#pragma once

#include <memory>

#include "models/machine_files.hpp"
#include "models/trust.hpp"

namespace tutti::python {

/// Of a machine that was loaded once: simulations that outlive its Python object share it.
struct LoadedMachine {
  ReadMachine read;
  Provenance provenance;
  std::string identity;  // its text and what is in the files that this names
  bool is_made = false;  // of a text that no file has
};
using SharedMachine = std::shared_ptr<const LoadedMachine>;

}  // namespace tutti::python
