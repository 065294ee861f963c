#pragma once

#include <string>

namespace tutti {

/// Throws InputError naming `path` where the file is a shared object (ELF, of this machine's word length) whose headers
/// tell of more bytes than it has, as after a copy that was cut short: whoever loads it dies of SIGBUS. Anything else,
/// also what is no shared object at all, is left to dlopen, which says what is wrong with it. `file` is read.
void expect_whole_shared_object(const std::string& path, const std::string& file);

}  // namespace tutti
