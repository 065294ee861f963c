#pragma once

#include <memory>
#include <string>

#include "runtime/bootstrap.hpp"

namespace tutti {

/// A board that is a file, of this job alone, which rank 0 puts into a folder that all ranks can read. What lies there
/// is believed only if it is this user's own: the folder may be written to by nobody else but root (unless its sticky
/// bit is set, as /tmp's), and the file be read by nobody else; no link is followed. Throws TeamError otherwise.
std::shared_ptr<Board> board_in_file(const std::string& path);

/// The folder of that name in /tmp, made where there is none, that belongs to this user and is closed to all others.
/// Throws TeamError where it is something else.
std::string own_folder();

}  // namespace tutti
