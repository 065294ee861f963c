#pragma once

#include <stdexcept>

namespace tutti {

/// A team cannot be made or cannot go on: a rank has ended, a wait exceeded its limit, calls of ranks do not fit each
/// other, the system refused something. what() is one line that names the rank and what was pending.
class TeamError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tutti
