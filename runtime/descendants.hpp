#pragma once

#include <chrono>

namespace tutti {

/// From now on processes below this one become its children when their parent ends: none is lost sight of.
void adopt_orphans();

/// Ends, by SIGKILL, all processes below this one, whoever started them, and reaps them. False where some are still
/// there after `most`, as where the system does not end or show them.
bool end_descendants(std::chrono::milliseconds most);

}  // namespace tutti
