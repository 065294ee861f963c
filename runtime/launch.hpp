#pragma once

#include <string>
#include <vector>

namespace tutti {

/// Starts `ranks` processes of a program on this host, with what bootstrap_from_environment needs in their environment,
/// and waits for them. Where one ends with another status than 0 or by a signal, the others get some seconds to say why
/// they stop, and are then ended. Interrupts are passed on. None outlives this process.
///
/// Returns 0 if all were well, else the status of the first that was not (128 + the signal's number), which stderr
/// names. Throws InputError where the program cannot be started.
int launch(int ranks, const std::vector<std::string>& command);

}  // namespace tutti
