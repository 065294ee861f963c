#pragma once

#include <memory>
#include <string>

#include "cli/tune_options.hpp"
#include "models/machine.hpp"
#include "selection/sweep_folder.hpp"

namespace tutti::cli {

/// tutti tune --shard: makes one shard of the sweep in the folder options.state. Returns the exit status.
int tune_shard(const TuneRequest& request, const TuneOptions& options);

/// The machine by which a sweep was named, as a name or an absolute path.
std::string lasting_name(const std::string& machine);

/// What a sweep's folder was asked for, with its machine.
struct LoadedSweep {
  SweepFolder folder;
  std::string machine_name;
  Machine machine;
  TuneRequest request;
};
/// `machine`: where its file is now; empty: where it was. Throws InputError if it, or this program, is another one.
/// Not to be moved or copied: the request points to the machine.
std::unique_ptr<LoadedSweep> load_sweep(const std::string& folder, const std::string& machine);

}  // namespace tutti::cli
