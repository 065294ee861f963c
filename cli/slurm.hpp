#pragma once

#include "cli/tune_options.hpp"

namespace tutti::cli {

/// tutti tune --slurm: writes options.output, a script that submits the sweep as an array of few tasks and a job that
/// joins what they made, and makes the sweep's folder. Returns the exit status.
int write_slurm_job(const TuneOptions& options, const TuneRequest& request);

}  // namespace tutti::cli
