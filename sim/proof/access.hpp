#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "algos/comm.hpp"

namespace tutti::proof {

struct Access {
  View view;
  bool writes = false;
};

std::string buffer_name(std::int32_t buffer);
/// "out[3..7]"; a strided view names its hull and stride.
std::string text_of(const View& view);
/// Whether two views name an element in common.
bool overlap(const View& a, const View& b);

/// What a rank's posted operations touch until something is ordered after them: a wait, or the end of their call.
class OpenAccesses {
 public:
  /// Opens the accesses of an operation. Returns what they clash with: an open access to the same elements, one of them
  /// writing.
  std::optional<std::string> add(Op op, const CallScope& scope, std::initializer_list<Access> accesses);
  void close(Op op);
  void close_all(const CallScope& scope);
  void clear() { open_.clear(); }

 private:
  struct Open {
    Access access;
    std::uint32_t slot;
    const CallScope* scope;
  };
  std::vector<Open> open_;
};

}  // namespace tutti::proof
