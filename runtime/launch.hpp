#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace tutti {

/// Starts `ranks` processes of a program on this host, with what bootstrap_from_environment needs in their environment,
/// and waits for them. Where one ends with another status than 0 or by a signal, stderr names it, and the others are
/// told, have `grace` to say why they stop, and are then ended. Who left because of another's loss is not named in
/// that one's place. Interrupts are passed on. Neither a rank nor what it has started outlives this, however it ends:
/// the caller's process waits, and returns; another, between it and the ranks, does the rest, and returns from this,
/// too, in a process of its own, with the status that its caller is to end with.
///
/// Returns 0 if all were well, else the status of the one that is named (128 + the signal's number). Throws InputError
/// where the program cannot be started.
int launch(int ranks, const std::vector<std::string>& command, std::chrono::duration<double> grace);

}  // namespace tutti
