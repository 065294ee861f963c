#pragma once

#include <string>

namespace tutti::mpi {

/// Says why and ends the whole job with status 2.
[[noreturn]] void fail(const std::string& why);

}  // namespace tutti::mpi
