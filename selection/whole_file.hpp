#pragma once

#include <string>

namespace tutti {

/// Writes a file beside its place, has it on the disk, and renames it: who reads it finds all of it or what was there
/// before, whenever this process or its node ends. Throws InputError naming the file.
void write_whole(const std::string& path, const std::string& text);
/// The same where there is no such file yet; false where there is one, which is left as it is.
bool write_whole_if_new(const std::string& path, const std::string& text);

}  // namespace tutti
