#pragma once

#include <stdexcept>

namespace tutti {

/// Bad input from a person or a file: what() is one line that names the file and line where there is one, and what was
/// expected. The command line prints it and exits with status 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tutti
